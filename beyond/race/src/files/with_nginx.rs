//! nginx, if it's installed: the server in C to which others are compared.
//!
//! It's a single process, started without a master: it does what a worker of nginx does, and its
//! processor time is all there is.
//!
//! What might be unfair, in nginx's favour: `sendfile` spares it the copy of each file into its own
//! memory, and hyper's server doesn't use it. Ours does for large files. Against it: the head of an
//! answer and the file are two system calls. `tcp_nopush` would make one packet of both, but it's
//! off unless you ask for it: when we did, a small file cost some percent less, but a large one
//! half as much again, or worse.

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

/// Where it's looked for: the `PATH` of a user often lacks the second one's directory.
const PROGRAMS: [&str; 2] = ["nginx", "/usr/sbin/nginx"];

/// Returns nginx's program, or `None` if there's none that accepts the configuration.
pub(crate) fn program() -> Result<Option<&'static str>> {
    let prefix = Prefix::new(free_address()?)?;
    for program in PROGRAMS {
        // If something's wrong with the configuration, nginx itself says what.
        let tried = command(program, &prefix).args(["-t", "-q"]).status();
        if tried.is_ok_and(|status| status.success()) {
            return Ok(Some(program));
        }
    }
    Ok(None)
}

/// Starts nginx. It's killed when it's stopped, and also when nothing is left that could stop it.
pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let (program, address) = (program()?.context("nginx was there before")?, free_address()?);
    let prefix = Prefix::new(address)?;
    let process = command(program, &prefix).spawn().context("start nginx")?;
    let mut running = Running { process, _prefix: prefix };
    // It has no way to say when it listens.
    while TcpStream::connect(address).is_err() {
        ensure!(running.process.try_wait()?.is_none(), "nginx has ended: is {address} taken?");
        thread::sleep(Duration::from_millis(2));
    }
    let schedstat = PathBuf::from(format!("/proc/{}/schedstat", running.process.id()));
    let stop = move || drop(running);
    // If nothing waits for this, nothing needs the server, and this drops `stop`.
    let _ = started.send(Started { schedstat, ..Started::new(address, stop) });
    Ok(())
}

/// Returns an address that's free, as far as one can know: nginx can't let the kernel choose one.
fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
    Ok(listener.local_addr()?)
}

/// A directory for all that nginx reads and writes. It's removed when this is dropped. Tests run
/// several servers at once, so each has its own.
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

/// It logs no requests, says as much about a file as the others do, closes no connection however
/// many requests there are, and puts everything that it writes into the directory it's started in.
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

/// A process that's killed when this is dropped.
struct Running {
    process: Child,
    _prefix: Prefix,
}

impl Drop for Running {
    fn drop(&mut self) {
        // If it has ended by itself, there's nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
