//! A PostgreSQL server for the tests of this binary, in its own process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// Starts a server, waits until it accepts connections, prints its address, and stops it when standard input closes,
/// which happens however the tests end.
const SCRIPT: &str = r#"
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    trap '' HUP INT TERM
    "$1/initdb" -D "$dir/data" -U jig --auth=trust --no-sync -E UTF8 --locale=C >"$dir/log" 2>&1 &&
        "$1/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-k $dir -c listen_addresses= -c fsync=off \
            -c synchronous_commit=off -c full_page_writes=off" start >"$dir/start" 2>&1 ||
        { cat "$dir/log" "$dir/start" >&2; exit 1; }
    echo "$dir"
    read -r _
    "$1/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1
"#;

struct Server {
    bin: String,
    /// The folder of its socket.
    socket: String,
    /// Its standard input stays open as long as this process lives.
    _watchdog: Mutex<Child>,
}

/// The address of a new, empty database. `None` without PostgreSQL, unless `CI=true`, which fails.
#[expect(clippy::disallowed_methods, reason = "tests get the server from the environment")]
pub(crate) fn database() -> Option<String> {
    static SERVER: OnceLock<Server> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Ok(bin) = std::env::var("JIG_TEST_POSTGRES_BIN") else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true needs JIG_TEST_POSTGRES_BIN");
        println!("skipped: JIG_TEST_POSTGRES_BIN names no folder with a PostgreSQL server");
        return None;
    };
    let server = SERVER.get_or_init(|| start(bin));
    let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let made =
        Command::new(format!("{}/createdb", server.bin)).args(["-h", &server.socket, "-U", "jig", &name]).status();
    assert!(made.unwrap().success(), "the database could not be made");
    Some(format!("postgres://jig@localhost/{name}?host={}", server.socket))
}

fn start(bin: String) -> Server {
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut command = if root {
        // PostgreSQL refuses to run as root.
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"]);
        command
    } else {
        Command::new("sh")
    };
    command.args(["-c", SCRIPT, "sh", &bin]).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the shell starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "PostgreSQL did not start");
    Server { bin, socket: line.trim().to_owned(), _watchdog: Mutex::new(child) }
}
