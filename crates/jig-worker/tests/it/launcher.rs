//! Programs under the launcher: a shell tries what a renderer that was taken over would try.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use jig_worker::{ProgramAccess, spawn_confined};
use tokio::process::Command;

/// Runs a script in a confined shell with this folder as its own; true when it ended well.
async fn runs(work: &Path, script: &str) -> bool {
    let read = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"].map(Into::into).to_vec();
    runs_with(work, Some(read), script).await
}

async fn runs_with(work: &Path, read: Option<Vec<PathBuf>>, script: &str) -> bool {
    let mut command = Command::new("/bin/bash");
    command.args(["-c", script]).current_dir(work).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let access = ProgramAccess { read, write: vec![work.to_owned()], sockets: Vec::new() };
    let (mut child, confinement) = spawn_confined(&mut command, &access).unwrap();
    assert!(confinement.is_contained());
    child.wait().await.unwrap().success()
}

#[tokio::test]
async fn a_confined_program_reaches_its_own_folder_and_nothing_else() {
    if !crate::can_confine() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (work, other) = (folder.path().join("work"), folder.path().join("other"));
    std::fs::create_dir_all(&work).unwrap();
    std::fs::create_dir_all(&other).unwrap();
    let secret = other.join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();

    assert!(runs(&work, "echo one > a && mkdir b && mv a b/a && grep one b/a && rm -r b && ls . > list").await);
    let path = secret.display();
    let own = std::process::id();
    let attacks = [
        format!("cat '{path}'"),
        format!("cat < '{path}'"),
        "cat ../other/secret.txt".to_owned(),
        format!("ln -s '{path}' link && cat link"),
        format!("ln '{path}' hard"),
        format!("echo x > '{path}'"),
        format!("echo x > '{}/new'", other.display()),
        format!("mv '{path}' mine"),
        format!("rm -f '{path}'"),
        format!("chmod 644 '{path}'"),
        format!("touch '{path}'"),
        "ls /home".to_owned(),
        "ls ..".to_owned(),
        "cat /etc/shadow || cat /etc/hosts".to_owned(),
        format!("cat /proc/{own}/environ"),
        format!("cat /proc/{own}/cmdline"),
        format!("echo x > /dev/tcp/127.0.0.1/{port}"),
        format!("echo x > /dev/udp/127.0.0.1/{port}"),
        format!("kill -0 {own}"),
        "kill -0 $PPID".to_owned(),
        "mkfifo pipe".to_owned(),
    ];
    for attack in attacks {
        assert!(!runs(&work, &attack).await, "{attack}");
    }
    // A worker may read everything until it confines itself, but writes nothing else from the start.
    assert!(runs_with(&work, None, &format!("cat '{path}' && echo one > a")).await);
    for attack in
        [format!("echo x > '{path}'"), format!("rm '{path}'"), format!("chmod 644 '{path}'"), "kill -0 $PPID".into()]
    {
        assert!(!runs_with(&work, None, &attack).await, "{attack}");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert_eq!(std::fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(listener.accept().is_err(), "a connection was made");
    // This process keeps all that it had.
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    std::fs::write(other.join("new"), "new").unwrap();
}
