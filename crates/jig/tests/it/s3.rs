//! An S3-compatible server for the tests of this binary.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;

use crate::environment::TestEnvironment;

struct Server {
    endpoint: String,
    root: tempfile::TempDir,
}

/// A new, empty bucket.
pub(crate) struct Bucket(String);

impl Bucket {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("bucket-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        std::fs::create_dir(server().root.path().join(&name)).unwrap();
        Self(name)
    }

    /// Configures the program to store its blobs in this bucket.
    pub(crate) fn tell(&self, environment: &mut TestEnvironment) {
        let endpoint = &server().endpoint;
        let options = format!("endpoint={endpoint},allow_http=true,access_key_id=key,secret_access_key=secret");
        environment.set("JIG_BLOBS", &format!("s3://{}/blobs", self.0));
        environment.set("JIG_BLOBS_OPTIONS", &options);
    }
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(start)
}

fn start() -> Server {
    let root = tempfile::tempdir().unwrap();
    let mut service = s3s::service::S3ServiceBuilder::new(s3s_fs::FileSystem::new(root.path()).unwrap());
    service.set_auth(s3s::auth::SimpleAuth::from_single("key", "secret"));
    let service = service.build();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    listener.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let server = Builder::new(TokioExecutor::new());
            while let Ok((socket, _)) = listener.accept().await {
                let connection = server.serve_connection(TokioIo::new(socket), service.clone());
                tokio::spawn(connection.into_owned());
            }
        });
    });
    Server { endpoint, root }
}
