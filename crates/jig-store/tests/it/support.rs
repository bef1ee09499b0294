//! Real servers for tests: PostgreSQL in its own process, S3 inside this one. Each is started once per test binary;
//! every test gets its own database and bucket.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use sqlx::{AssertSqlSafe, Connection as _};

/// Starts a server, waits until it accepts connections, prints its address, and stops it when standard input closes,
/// which happens however the tests end.
const SCRIPT: &str = r#"
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    trap '' HUP INT TERM
    "$1/initdb" -D "$dir/data" -U jig --auth=trust --no-sync -E UTF8 --locale=C >"$dir/log" 2>&1 &&
        "$1/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-k $dir -c listen_addresses= -c fsync=off \
            -c synchronous_commit=off -c full_page_writes=off -c max_connections=400" start >"$dir/start" 2>&1 ||
        { cat "$dir/log" "$dir/start" >&2; exit 1; }
    echo "$dir"
    read -r _
    "$1/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1
"#;

struct Postgres {
    /// The folder of its socket.
    socket: PathBuf,
    /// Its standard input stays open as long as this process lives.
    _watchdog: Mutex<Child>,
}

/// The URL of a new, empty database. `None` without PostgreSQL, unless `CI=true`, which fails.
#[expect(clippy::disallowed_methods, reason = "tests get the server from the environment")]
pub(crate) async fn postgres_database() -> Option<String> {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Ok(bin) = std::env::var("JIG_TEST_POSTGRES_BIN") else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true needs JIG_TEST_POSTGRES_BIN");
        println!("skipped: JIG_TEST_POSTGRES_BIN names no folder with a PostgreSQL server");
        return None;
    };
    let server = SERVER.get_or_init(|| start_postgres(Path::new(&bin)));
    let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(&url(server, "postgres")).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    Some(url(server, &name))
}

fn url(server: &Postgres, database: &str) -> String {
    format!("postgres://jig@localhost/{database}?host={}", server.socket.display())
}

fn start_postgres(bin: &Path) -> Postgres {
    let mut command = match is_root() {
        // PostgreSQL refuses to run as root.
        true => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"]);
            command
        }
        false => Command::new("sh"),
    };
    command.args(["-c", SCRIPT, "sh"]).arg(bin).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the shell starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "PostgreSQL did not start");
    Postgres { socket: line.trim().into(), _watchdog: Mutex::new(child) }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim() == "0"
}

/// A bucket on an S3-compatible server.
pub(crate) struct Bucket {
    /// For example `s3://bucket-1/some/prefix`.
    pub(crate) url: String,
    /// The options for connecting to it.
    pub(crate) options: Vec<(String, String)>,
    /// The folder where the server stores its objects.
    pub(crate) folder: PathBuf,
}

struct S3 {
    endpoint: String,
    root: tempfile::TempDir,
}

/// A new, empty bucket.
pub(crate) fn s3_bucket() -> Bucket {
    static SERVER: OnceLock<S3> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let server = SERVER.get_or_init(start_s3);
    let name = format!("bucket-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let folder = server.root.path().join(&name);
    std::fs::create_dir(&folder).unwrap();
    let options = [
        ("endpoint", server.endpoint.as_str()),
        ("allow_http", "true"),
        ("access_key_id", "key"),
        ("secret_access_key", "secret"),
    ];
    Bucket {
        url: format!("s3://{name}/some/prefix"),
        options: options.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        folder,
    }
}

fn start_s3() -> S3 {
    let root = tempfile::tempdir().unwrap();
    let mut service = s3s::service::S3ServiceBuilder::new(s3s_fs::FileSystem::new(root.path()).unwrap());
    service.set_auth(s3s::auth::SimpleAuth::from_single("key", "secret"));
    let service = service.build();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    listener.set_nonblocking(true).unwrap();
    // Its own runtime, because the tests' runtimes end with them.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let server = hyper_util::server::conn::auto::Builder::new(hyper_util::rt::TokioExecutor::new());
            while let Ok((socket, _)) = listener.accept().await {
                let connection = server.serve_connection(hyper_util::rt::TokioIo::new(socket), service.clone());
                tokio::spawn(connection.into_owned());
            }
        });
    });
    S3 { endpoint, root }
}
