//! nginx, if it's installed: a server in C to compare the other servers with.
//!
//! It runs as a single process without a master, so that process does a worker's work, and no other
//! process uses processor time.
//!
//! Possible unfairness, in nginx's favour: with `sendfile`, it doesn't have to copy a file into its
//! own memory. hyper's server doesn't use `sendfile`; our server uses it for large files. Against
//! nginx: it sends an answer's head and the file with two system calls. `tcp_nopush` would put both
//! into one packet, but it's off by default. When we turned it on, a small file cost a few percent
//! less, but a large file cost at least half as much again.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::files::directory;
use crate::measuring::scratch_dir;
use crate::serving::Started;

/// The places where we look for nginx. A user's `PATH` often lacks `/usr/sbin`.
const PROGRAMS: [&str; 2] = ["nginx", "/usr/sbin/nginx"];

/// Returns the path of nginx, or `None` if no program accepts the configuration.
pub(crate) fn program() -> Result<Option<&'static str>> {
    let prefix = Prefix::new(free_address()?)?;
    for program in PROGRAMS {
        // If the configuration has a mistake, nginx itself reports it.
        let tried = command(program, &prefix).args(["-t", "-q"]).status();
        if tried.is_ok_and(|status| status.success()) {
            return Ok(Some(program));
        }
    }
    Ok(None)
}

/// Starts nginx, which is killed when the server is stopped or when the handle that could stop it
/// is dropped.
pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let (program, address) = (program()?.context("nginx was there before")?, free_address()?);
    let prefix = Prefix::new(address)?;
    let process = command(program, &prefix).spawn().context("start nginx")?;
    let mut running = Running { process, _prefix: prefix };
    // nginx doesn't report when it starts to listen, so try to connect.
    while TcpStream::connect(address).is_err() {
        ensure!(running.process.try_wait()?.is_none(), "nginx has ended: is {address} taken?");
        thread::sleep(Duration::from_millis(2));
    }
    let schedstat = PathBuf::from(format!("/proc/{}/schedstat", running.process.id()));
    let stop = move || drop(running);
    // If the receiver is gone, the server isn't needed: `stop` is dropped, which kills nginx.
    let _ = started.send(Started { schedstat, ..Started::new(address, stop) });
    Ok(())
}

/// Returns an address that's free, as far as we can tell. We have to choose the port, because nginx
/// can't let the kernel do that.
fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
    Ok(listener.local_addr()?)
}

/// A directory for nginx's configuration and for all files that nginx writes. It's removed when
/// this value is dropped. Each server has a separate directory, because tests run several servers
/// at once.
struct Prefix(PathBuf);

impl Prefix {
    fn new(address: SocketAddr) -> Result<Self> {
        let name = format!("nginx_{}", address.port());
        let prefix = Prefix(scratch_dir().join(name));
        fs::create_dir_all(&prefix.0).context("make a directory for nginx")?;
        fs::write(prefix.configuration(), configuration(address))
            .context("write nginx's configuration")?;
        Ok(prefix)
    }

    fn configuration(&self) -> PathBuf {
        self.0.join("nginx.conf")
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a command that starts nginx in this directory.
fn command(program: &str, prefix: &Prefix) -> Command {
    let mut command = Command::new(program);
    command.arg("-p").arg(&prefix.0).arg("-c").arg(prefix.configuration()).stdin(Stdio::null());
    command
}

/// Returns a configuration in which nginx logs no requests, adds a Cache-Control field as the other
/// servers do, keeps connections open no matter how many requests arrive, and writes no file
/// outside its directory.
fn configuration(address: SocketAddr) -> String {
    let root = directory();
    format!(
        "daemon off;
         master_process off;
         pid nginx.pid;
         error_log stderr;
         events {{ worker_connections 1024; }}
         http {{
             access_log off;
             sendfile on;
             keepalive_requests 1000000000;
             client_header_timeout 10s;
             client_body_temp_path body;
             proxy_temp_path proxy;
             fastcgi_temp_path fastcgi;
             uwsgi_temp_path uwsgi;
             scgi_temp_path scgi;
             server {{
                 listen {address};
                 root \"{}\";
                 default_type application/octet-stream;
                 add_header Cache-Control no-cache;
             }}
         }}
         ",
        root.display()
    )
}

/// A process that's killed when this value is dropped.
struct Running {
    process: Child,
    _prefix: Prefix,
}

impl Drop for Running {
    fn drop(&mut self) {
        // If the process has ended by itself, there's nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
