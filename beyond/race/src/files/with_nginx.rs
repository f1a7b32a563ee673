//! nginx, if it's installed: the server in C that others are compared with.
//!
//! It's a single process, started without a master: it does the work of a worker of nginx, and no
//! other process uses processor time.
//!
//! What might be unfair, in nginx's favour: `sendfile` saves it the copy of each file into its own
//! memory, and hyper's server doesn't use `sendfile`. Ours does for large files. Against nginx: the
//! head of an answer and the file are two system calls. `tcp_nopush` would put both into one
//! packet, but it's off unless you ask for it: when we did, a small file cost some percent less,
//! but a large file cost half as much again, or more.

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

/// The places where we look for it: the `PATH` of a user often lacks the second one's directory.
const PROGRAMS: [&str; 2] = ["nginx", "/usr/sbin/nginx"];

/// Returns nginx's program, or `None` if no program accepts the configuration.
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

/// Starts nginx. It's killed when it's stopped, and also when nobody is left who could stop it.
pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let (program, address) = (program()?.context("nginx was there before")?, free_address()?);
    let prefix = Prefix::new(address)?;
    let process = command(program, &prefix).spawn().context("start nginx")?;
    let mut running = Running { process, _prefix: prefix };
    // nginx has no way to say when it listens.
    while TcpStream::connect(address).is_err() {
        ensure!(running.process.try_wait()?.is_none(), "nginx has ended: is {address} taken?");
        thread::sleep(Duration::from_millis(2));
    }
    let schedstat = PathBuf::from(format!("/proc/{}/schedstat", running.process.id()));
    let stop = move || drop(running);
    // If nobody waits for this, nobody needs the server, and this drops `stop`.
    let _ = started.send(Started { schedstat, ..Started::new(address, stop) });
    Ok(())
}

/// Returns an address that's free, as far as we can know: nginx can't let the kernel choose one.
fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
    Ok(listener.local_addr()?)
}

/// A directory for all files that nginx reads and writes. It's removed when this value is dropped.
/// Tests run several servers at once, so each has its own directory.
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

/// Returns a configuration in which nginx logs no requests, sends as many fields about a file as
/// the others, closes no connection however many requests there are, and writes only into its
/// directory.
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
