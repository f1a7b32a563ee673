//! The server, from binding its address to the end of the class.

use std::cell::Cell;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use asyncio::{LoopError, TcpListener, create_task, current_task, run};
use cockpit::web::{Ignored, Origins, Tickets, patient};
use ecosystem::{LoopTimer, Serve};
use futures_util::FutureExt;
use hyper::service::service_fn;
use step01_fd::raise_descriptor_limit;

use crate::ClassOptions;
use crate::event::{Event, now};
use crate::kept::Kept;
use crate::limits::{PATIENCE, Strangers};
use crate::names::{new_code, spelled};
use crate::requests::{Class, LARGEST, Shared, Urls};
use crate::room::Room;
use crate::state::State;

/// The time limit for pending requests when the server shuts down.
const GRACE: Duration = Duration::from_millis(500);

/// The time without events, in seconds, after which we consider a class forgotten.
const FORGOTTEN: u64 = 24 * 60 * 60;

const BACKLOG: i32 = 1024;

/// A class's server that has bound its address.
#[derive(Debug)]
pub struct Bound {
    listener: StdListener,
    address: SocketAddr,
    options: ClassOptions,
    kept: Kept,
    state: State,
    is_new: bool,
    set_aside: Option<PathBuf>,
}

impl Bound {
    /// Binds the address and opens the class that's in the file, or begins a new class.
    pub fn bind(options: ClassOptions) -> anyhow::Result<Self> {
        let asked = options.address;
        let listener = StdListener::bind(asked).with_context(|| {
            format!(
                "can't listen on {asked}: is it an address of this machine, and is the port free?"
            )
        })?;
        let address = listener.local_addr()?;
        let (mut kept, mut state) = Kept::open(&options.state)?;
        let is_forgotten = state.begun != 0 && now().saturating_sub(state.last) > FORGOTTEN;
        let set_aside = is_forgotten.then(|| kept.set_aside(state.begun)).transpose()?;
        let is_new = state.begun == 0 || is_forgotten;
        if is_new {
            let (code, teacher) = (new_code(2)?, cockpit::new_token()?);
            let begun = Event::Begun { at: now(), code, teacher };
            kept.begin(&begun)?;
            state = State::default();
            let _ = state.apply(begun);
        }
        Ok(Bound { listener, address, options, kept, state, is_new, set_aside })
    }

    /// Returns the address that the server listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns true for a new class, and false if the server continues an interrupted class.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// If a new class has replaced a forgotten class, which was never ended, returns the new path
    /// of the forgotten class's file.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Returns the number of students in the class.
    pub fn students(&self) -> usize {
        self.state.students.len()
    }

    /// Returns the address for students, with the code after the `#`.
    pub fn students_url(&self) -> String {
        format!("{}/#code={}", origin(&self.options, self.address), self.state.code)
    }

    /// Returns the teacher's address, with the token after the `#`.
    pub fn teacher_url(&self) -> String {
        format!("{}/teacher#class={}", origin(&self.options, self.address), self.state.teacher)
    }

    /// Returns the code that lets students in, and its spelling.
    pub fn code(&self) -> (String, String) {
        (self.state.code.clone(), spelled(&self.state.code))
    }

    /// Serves until the teacher ends the class, or until SIGINT (Ctrl-C), SIGTERM or SIGHUP
    /// arrives. A signal that was ignored when we began is still ignored. A signal doesn't end the
    /// class: when the server is started again, it continues the class. Returns true if the class
    /// is over.
    pub fn run(self) -> anyhow::Result<bool> {
        let is_over = Rc::new(Cell::new(false));
        let ignored = Ignored::so_far();
        let served = run(self.serve(Rc::clone(&is_over), ignored));
        match served {
            Ok(()) | Err(LoopError::Interrupted) => Ok(is_over.get()),
            Err(LoopError::Task(error)) if error.is_cancelled() => Ok(is_over.get()),
            Err(error) => Err(error.into()),
        }
    }

    async fn serve(self, is_over: Rc<Cell<bool>>, ignored: Ignored) -> asyncio::Result<()> {
        raise_descriptor_limit()?;
        let main = current_task();
        let origins =
            Origins::new(hosts(&self.options, self.address), self.options.public_origin.as_deref());
        let urls =
            Urls { students: self.students_url(), address: origin(&self.options, self.address) };
        let listener = TcpListener::from_std(self.listener)?;
        listener.set_backlog(BACKLOG)?;
        let files = self.options.files;
        let ClassOptions { root, material, keep, .. } =
            ClassOptions { files: Vec::new(), ..self.options };
        let room = Room::open(&root, material, keep, self.state);
        room.start(self.kept)?;
        ignored.others_end_this_task(&room.programs)?;
        let ended = Rc::clone(&room);
        create_task(async move {
            ended.is_over.wait().await?;
            // Wait a moment, so that the page that ended the class receives its answer.
            LoopTimer.sleep(GRACE).await;
            main.map(|main| main.cancel());
            Ok(())
        })?;
        let class = Class {
            room: Rc::clone(&room),
            shared: Rc::new(Shared {
                origins,
                tickets: Tickets::default(),
                strangers: Strangers::new(),
                files,
                urls,
            }),
        };
        let serve = Serve::default()
            .with_http(|http| {
                http.header_read_timeout(PATIENCE).max_buf_size(LARGEST);
            })
            .with_patience(GRACE);
        let service =
            service_fn(move |request| class.clone().answer(request).map(Ok::<_, Infallible>));
        let served = serve.run_over(listener, service, async |io| patient(io)).await;
        room.end_streams();
        room.programs.end_all().await?;
        is_over.set(room.is_over.is_set());
        served
    }
}

/// Returns the address at which browsers find the server.
fn origin(options: &ClassOptions, address: SocketAddr) -> String {
    let origin = options.public_origin.clone().unwrap_or_else(|| format!("http://{address}"));
    origin.trim_end_matches('/').to_owned()
}

/// Returns the addresses and names by which browsers may reach the server, with the port.
fn hosts(options: &ClassOptions, address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut hosts = vec![address.to_string()];
    hosts.extend(options.hosts.iter().map(|host| format!("{host}:{port}")));
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        hosts.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
    }
    if port == 80 {
        // A browser omits port 80, so add the names without that port.
        let without: Vec<&str> = hosts.iter().filter_map(|host| host.strip_suffix(":80")).collect();
        let without: Vec<String> = without.into_iter().map(str::to_owned).collect();
        hosts.extend(without);
    }
    hosts
}
