//! A PostgreSQL server of one test in a temporary folder.

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server; it is stopped and removed in the end.
pub(crate) struct Cluster {
    binaries: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    server: Option<Child>,
    user: Option<(u32, u32)>,
}

/// The folder with the programs of the server.
fn binaries() -> Option<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let installed = installed.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).chain(installed).collect();
    folders.sort_by_key(|folder| !folder.starts_with("/usr/lib/postgresql"));
    folders.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

/// User and group as whom the server runs: it refuses to run as root.
fn unprivileged() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let find = |name: &str| {
        let fields: Vec<&str> = users.lines().find(|line| line.starts_with(name))?.split(':').collect();
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    Some(find("postgres:").or_else(|| find("nobody:")).expect("an unprivileged user"))
}

/// Processes whose parent has this id.
fn children(parent: u32) -> Vec<i32> {
    let text = |id: &str| std::fs::read_to_string(format!("/proc/{id}/stat")).ok();
    let parent_of = |stat: &str| stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok();
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = names.filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(|id| text(id).and_then(|stat| parent_of(&stat)) == Some(parent))
        .filter_map(|id| id.parse().ok())
        .collect()
}

impl Cluster {
    /// Starts a server with some settings. Without PostgreSQL the test is skipped with a message, or fails where
    /// `THRIFTY_REQUIRE_POSTGRES` is set.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let Some(binaries) = binaries() else {
            assert!(std::env::var_os("THRIFTY_REQUIRE_POSTGRES").is_none(), "PostgreSQL is not installed");
            eprintln!("SKIPPED: PostgreSQL (initdb, postgres) is not installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let user = unprivileged();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut cluster = Self { binaries, folder, port, server: None, user };
        if let Some((user, group)) = user {
            std::os::unix::fs::chown(cluster.folder.path(), Some(user), Some(group)).unwrap();
        }
        let mut initdb = cluster.command("initdb");
        initdb.args([
            "--no-sync",
            "--auth=trust",
            "--username=tester",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
        ]);
        let output = initdb.arg(cluster.data()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = ["fsync = off", "max_connections = 60", "listen_addresses = '127.0.0.1'"];
        let text = [&lines[..], settings].concat().join("\n");
        let config = std::fs::read_to_string(cluster.data().join("postgresql.conf")).unwrap();
        std::fs::write(cluster.data().join("postgresql.conf"), format!("{config}\n{text}\n")).unwrap();
        cluster.run();
        Some(cluster)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries.join(name));
        command.current_dir(self.folder.path());
        if let Some((user, group)) = self.user {
            command.gid(group).uid(user);
        }
        command
    }

    /// The folder of the data.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Writes a file that the server can read.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        self.give(&path);
        path
    }

    fn give(&self, path: &Path) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((user, group)) = self.user {
            std::os::unix::fs::chown(path, Some(user), Some(group)).unwrap();
        }
    }

    /// Starts the server and waits until it answers.
    pub(crate) fn run(&mut self) {
        let started_at = Instant::now();
        self.server = Some(self.spawn());
        while let Err(error) = self.client() {
            assert!(started_at.elapsed() < Duration::from_secs(60), "{error}: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
            // It refuses to start while a process of a killed one still ends.
            if self.server.as_mut().is_none_or(|server| server.try_wait().unwrap().is_some()) {
                self.server = Some(self.spawn());
            }
        }
    }

    fn spawn(&self) -> Child {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log"));
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string(), "-k"]).arg(self.folder.path());
        command.stdout(Stdio::null()).stderr(log.unwrap()).spawn().unwrap()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Stops the server at once, as a crash would for its clients.
    pub(crate) fn stop(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        let id = rustix::process::Pid::from_child(&server);
        // SIGQUIT is the server's immediate stop, which ends its children too.
        rustix::process::kill_process(id, rustix::process::Signal::QUIT).unwrap();
        server.wait().unwrap();
    }

    /// Kills the server and all its processes, as a power failure would.
    pub(crate) fn kill(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        let sessions = children(server.id());
        server.kill().unwrap();
        server.wait().unwrap();
        for id in sessions {
            let id = rustix::process::Pid::from_raw(id).expect("the id of a process");
            // It may have ended by itself.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        }
    }

    /// Connects without the store.
    pub(crate) fn client(&self) -> Result<postgres::Client, postgres::Error> {
        let address = format!("postgres://tester@127.0.0.1:{}/postgres?sslmode=disable", self.port);
        postgres::Client::connect(&address, postgres::NoTls)
    }

    /// The address of the store, with more parameters such as `?sslmode=require`.
    pub(crate) fn address(&self, more: &str) -> String {
        format!("postgres://tester:secret@localhost:{}/postgres{more}", self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
    }
}
