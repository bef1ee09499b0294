//! A PostgreSQL server with default settings, on a socket in its own folder.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Stops the server when standard input closes, which happens however the benchmark ends.
const SCRIPT: &str = r#"
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    trap '' HUP INT TERM
    "$1/initdb" -D "$dir/data" -U jig --auth=trust --no-sync -E UTF8 --locale=C >"$dir/log" 2>&1 &&
        "$1/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-k $dir -c listen_addresses=" start >"$dir/start" 2>&1 ||
        { cat "$dir/log" "$dir/start" >&2; exit 1; }
    echo "$dir"
    read -r _
    "$1/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1
"#;

/// A running server, stopped on drop.
pub(crate) struct Postgres {
    /// The URL of its only database.
    pub(crate) url: String,
    watchdog: Child,
}

impl Postgres {
    /// Starts a server with the programs of this folder.
    pub(crate) fn start(bin: &Path) -> Self {
        let root = Command::new("id").arg("-u").output().expect("a user").stdout == b"0\n";
        // PostgreSQL refuses to run as root.
        let words: &[&str] =
            if root { &["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"] } else { &["sh"] };
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(["-c", SCRIPT, "sh"]).arg(bin).current_dir("/");
        let mut watchdog = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut line = String::new();
        BufReader::new(watchdog.stdout.take().expect("its output")).read_line(&mut line).expect("a folder");
        assert!(!line.is_empty(), "PostgreSQL did not start");
        Self { url: format!("postgres://jig@localhost/postgres?host={}", line.trim()), watchdog }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}
