//! Trials of `serve_until_stopped`: servers with clients that finish early, late or never, and the
//! ways to stop them. The clients are plain tasks that run on virtual time.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step05_selfpipe::{SIGTERM, raise};
use step07_full_loop::{
    AnyTask, CancelOverride, Clients, Error, EventLoop, Future, LoopError, Result, Task,
    VirtualClock, create_task, current_task, get_running_loop, serve_until_stopped, sleep,
    yield_now,
};

use super::caught::is_caught;

const HOUR: Duration = Duration::from_hours(1);
/// Two days in milliseconds.
const TWO_DAYS: u64 = 48 * 3_600_000;

/// A client's reaction when it's asked to end.
#[derive(Debug, Clone, Copy)]
enum ClientKind {
    /// The client owes no answer and ends.
    Idle,
    /// The client finishes after this time unless it's asked again.
    Finishes(Duration),
    /// The client finishes after this time but then fails.
    Fails(Duration),
    Panics,
    /// The client would take an hour. When it's asked again, it cleans up for this time, and no
    /// further request stops the clean-up.
    Stubborn(Duration),
    /// The client ends by itself after this time, or at once when it's asked.
    EndsAt(Duration),
    /// When it's asked, the client cancels the server's task and then finishes after this time.
    Hurries(Duration),
    /// The client ends. It awaits a future that looks for the handler of SIGTERM when it's
    /// cancelled, so inside the call of `cancel`.
    Looks,
}

impl fmt::Display for ClientKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientKind::Idle => f.write_str("ends"),
            ClientKind::Finishes(time) => write!(f, "finishes in {time:?}"),
            ClientKind::Fails(time) => write!(f, "fails in {time:?}"),
            ClientKind::Panics => f.write_str("panics"),
            ClientKind::Stubborn(time) => {
                write!(f, "would take an hour, but takes only {time:?} more once it's asked again")
            }
            ClientKind::EndsAt(time) => write!(f, "ends at once, or by itself after {time:?}"),
            ClientKind::Hurries(time) => {
                write!(f, "cancels the server's task and finishes in {time:?}")
            }
            ClientKind::Looks => f.write_str("ends, and looks at SIGTERM before that"),
        }
    }
}

/// The behaviour of the server's accepting task.
#[derive(Debug, Clone, Copy)]
enum Accepting {
    /// The task ends when it's cancelled.
    Ends,
    /// When it's cancelled, the task cleans up for this time and then adds another client.
    CleansUp(Duration, ClientKind),
    /// The task fails in its first step.
    FailsAtOnce,
    /// The task fails by itself after this time.
    FailsAt(Duration),
    /// The task fails by itself after this time, and the server is cancelled before it learns of
    /// the failure.
    FailsAndCancels(Duration),
    /// The task fails by itself this many turns after SIGTERM and ignores its cancellation.
    FailsAfterTheSignal(usize),
}

impl fmt::Display for Accepting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Accepting::Ends => f.write_str("ends when it's asked to"),
            Accepting::CleansUp(time, kind) => {
                write!(f, "cleans up for {time:?} and then adds client 20, which {kind}")
            }
            Accepting::FailsAtOnce => f.write_str("fails in its first step"),
            Accepting::FailsAt(time) => write!(f, "fails after {time:?}"),
            Accepting::FailsAndCancels(time) => {
                write!(f, "fails after {time:?}, and the server's task is cancelled at once")
            }
            Accepting::FailsAfterTheSignal(turns) => {
                write!(f, "fails {turns} turns after SIGTERM, whatever it's asked")
            }
        }
    }
}

/// The way and the time to stop the server, if it's still running then.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Sigterm(Duration),
    /// The server's task is cancelled, as `run` cancels its main on SIGINT.
    Cancel(Duration),
    /// Other code cancels the task that accepts.
    CancelAccepting(Duration),
    /// The server's task is cancelled before it calls `serve_until_stopped`, while it awaits a leaf
    /// that doesn't check for a cancellation.
    CancelBefore,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Sigterm(time) => write!(f, "SIGTERM arrives after {time:?}"),
            Stop::Cancel(time) => write!(f, "the server's task is cancelled after {time:?}"),
            Stop::CancelAccepting(time) => {
                write!(f, "other code cancels the task that accepts after {time:?}")
            }
            Stop::CancelBefore => f.write_str("the server's task was cancelled before the call"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Client(usize, ClientKind),
    Accept(Accepting),
    Stop(Stop),
    /// The server's task is cancelled, or cancelled again, at this time.
    Hurry(Duration),
    /// Other code asks this client to end, at this time.
    Ask(usize, Duration),
    Grace(Duration),
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Client(number, kind) => write!(f, "asked to end, client {number} {kind}"),
            Verb::Accept(accepting) => write!(f, "the task that accepts {accepting}"),
            Verb::Stop(stop) => write!(f, "{stop}"),
            Verb::Hurry(time) => write!(f, "the server's task is cancelled after {time:?}"),
            Verb::Ask(number, time) => {
                write!(f, "other code cancels client {number} after {time:?}")
            }
            Verb::Grace(grace) => write!(f, "the grace is {grace:?}"),
        }
    }
}

/// Returns a time that equals no other time, so no result depends on the order of simultaneous
/// events.
fn unique(millis: u64, number: usize) -> Duration {
    Duration::from_micros(millis * 1000 + 7 * (number as u64 + 1))
}

impl ClientKind {
    fn random(number: usize, random: &mut Random) -> ClientKind {
        let time = unique(random.choose(&[1, 4, 15, 30, 50, TWO_DAYS]), number);
        match random.below(11) {
            0 => ClientKind::Idle,
            1..4 => ClientKind::Finishes(time),
            4 => ClientKind::Fails(time),
            5 => ClientKind::Panics,
            6..8 => ClientKind::Stubborn(time),
            8 => ClientKind::Hurries(time),
            9 => ClientKind::Looks,
            _ => ClientKind::EndsAt(time),
        }
    }
}

fn random_verbs(random: &mut Random) -> Vec<Verb> {
    let count = random.below(6);
    let mut verbs: Vec<Verb> =
        (0..count).map(|number| Verb::Client(number, ClientKind::random(number, random))).collect();
    let late = ClientKind::random(20, random);
    let has_failed = random.once_in(6);
    verbs.push(Verb::Accept(match random.below(6) {
        _ if has_failed => Accepting::FailsAtOnce,
        0..2 => Accepting::Ends,
        2 => Accepting::CleansUp(unique(3, 21), late),
        3 => Accepting::FailsAfterTheSignal(1 + random.below(6)),
        4 => Accepting::FailsAndCancels(unique(9, 22)),
        _ => Accepting::FailsAt(unique(9, 22)),
    }));
    let at = unique(10, 23);
    verbs.push(Verb::Stop(match random.below(8) {
        0..2 => Stop::Cancel(at),
        2 => Stop::CancelAccepting(at),
        3 => Stop::CancelBefore,
        4.. if has_failed => Stop::CancelBefore,
        _ => Stop::Sigterm(at),
    }));
    if random.once_in(4) {
        verbs.push(Verb::Hurry(unique(random.choose(&[17, 60]), 24)));
    }
    let graces = [unique(10, 25), unique(20, 25)];
    let is_endless = random.once_in(6);
    if is_endless {
        // For longer than a loop sleeps.
        verbs.push(Verb::Client(6, ClientKind::Finishes(unique(TWO_DAYS, 28))));
    }
    verbs.push(Verb::Grace(if is_endless { Duration::MAX } else { random.choose(&graces) }));
    if count > 0 && random.once_in(4) {
        verbs.push(Verb::Ask(random.below(count), unique(5, 29)));
    }
    verbs
}

/// The events in a client's life, with their times.
type Diary = Rc<RefCell<Vec<String>>>;

/// A server with clients whose diaries are kept.
struct Server {
    clients: Clients,
    diaries: RefCell<Vec<(usize, ClientKind, Diary)>>,
    tasks: RefCell<Vec<Task<()>>>,
    accepting: RefCell<Option<Task<()>>>,
    /// The task that calls `serve_until_stopped`.
    main: RefCell<Option<AnyTask>>,
    is_accepting: Cell<bool>,
    /// Done when the signal has been sent.
    is_signalled: Future<()>,
}

impl Server {
    fn add(self: &Rc<Self>, number: usize, kind: ClientKind) -> Result<()> {
        let diary = Diary::default();
        self.diaries.borrow_mut().push((number, kind, Rc::clone(&diary)));
        let client = create_task(live(Rc::clone(self), kind, diary))?;
        self.tasks.borrow_mut().push(client.clone());
        self.clients.add(client);
        Ok(())
    }

    async fn ask(self: Rc<Self>, number: usize, time: Duration) -> Result<()> {
        sleep(time).await?;
        let clients = self.diaries.borrow();
        if let Some(place) = clients.iter().position(|&(client, ..)| client == number) {
            self.tasks.borrow()[place].cancel();
        }
        Ok(())
    }
}

/// The override of a client's future: it looks for the handler of SIGTERM when it's cancelled.
struct Look {
    future: RefCell<Option<Future<()>>>,
    diary: Diary,
}

impl CancelOverride for Look {
    fn can_cancel(&self) -> bool {
        true
    }

    fn cancel(&self, _message: Option<&str>) {
        if is_caught(SIGTERM).unwrap_or(true) {
            self.diary.borrow_mut().push("as cancel() is called, SIGTERM has a handler".to_owned());
        }
        if let Some(future) = self.future.take() {
            let _ = future.set_exception(Error::cancelled());
        }
    }
}

async fn wait_and_look(event_loop: &EventLoop, diary: &Diary) -> Result<()> {
    let look = Rc::new(Look { future: RefCell::default(), diary: Rc::clone(diary) });
    let future = event_loop.create_future_with(Rc::clone(&look));
    look.future.replace(Some(future.clone()));
    future.await
}

/// Runs a client and keeps its diary.
async fn live(server: Rc<Server>, kind: ClientKind, diary: Diary) -> Result<()> {
    let event_loop = get_running_loop()?;
    let note = |what: &str| diary.borrow_mut().push(format!("{what} at {}", event_loop.time()));
    let first = match kind {
        ClientKind::EndsAt(time) => sleep(time).await,
        ClientKind::Looks => wait_and_look(&event_loop, &diary).await,
        _ => sleep(HOUR).await,
    };
    let Err(asked) = first else {
        note("ends by itself");
        return Ok(());
    };
    match current_task().map_or(0, |task| task.cancelling()) {
        1 => note("asked"),
        requests => note(&format!("asked {requests} times")),
    }
    if server.is_accepting.get() {
        note("the server is still accepting");
    }
    if is_caught(SIGTERM).map_err(Error::other)? {
        note("SIGTERM still has a handler");
    }
    let finishing = match kind {
        ClientKind::Idle | ClientKind::Looks | ClientKind::EndsAt(_) => return Err(asked),
        ClientKind::Finishes(time) | ClientKind::Fails(time) => sleep(time).await,
        ClientKind::Hurries(time) => {
            if let Some(main) = server.main.take() {
                main.cancel();
            }
            sleep(time).await
        }
        ClientKind::Stubborn(_) => sleep(HOUR).await,
        ClientKind::Panics => std::panic::resume_unwind(Box::new("oh no")),
    };
    note(if finishing.is_err() { "asked again" } else { "has finished" });
    if let ClientKind::Stubborn(time) = kind {
        let end = event_loop.time() + time;
        while event_loop.time() < end {
            let _ = sleep(end - event_loop.time()).await;
        }
        note("has cleaned up");
    }
    if matches!(kind, ClientKind::Fails(_)) {
        return Err(Error::other("the answer is lost"));
    }
    finishing.and(Err(asked))
}

async fn accept(server: Rc<Server>, this: AnyTask, accepting: Accepting) -> Result<()> {
    let outcome = match accepting {
        Accepting::FailsAndCancels(time) => {
            let slept = sleep(time).await;
            if slept.is_ok() {
                get_running_loop()?.call_soon(move || {
                    this.cancel();
                });
            }
            slept.and(Err(Error::other("no listener")))
        }
        Accepting::FailsAtOnce => Err(Error::other("no listener")),
        Accepting::FailsAt(time) => sleep(time).await.and(Err(Error::other("no listener"))),
        Accepting::FailsAfterTheSignal(turns) => fail_after_the_signal(&server, turns).await,
        _ => sleep(HOUR).await,
    };
    if let Accepting::CleansUp(time, kind) = accepting {
        // Its clean-up can't be cancelled, or nothing would be determined.
        let event_loop = get_running_loop()?;
        let end = event_loop.time() + time;
        while event_loop.time() < end {
            let _ = sleep(end - event_loop.time()).await;
        }
        server.add(20, kind)?;
        // The newcomer waits before it's asked.
        yield_now().await?;
    }
    server.is_accepting.set(false);
    outcome
}

async fn fail_after_the_signal(server: &Server, turns: usize) -> Result<()> {
    server.is_signalled.clone().await?;
    for _ in 0..turns {
        let _ = yield_now().await;
    }
    Err(Error::other("no listener"))
}

async fn stop(server: Rc<Server>, this: AnyTask, stop: Stop) -> Result<()> {
    if let Stop::Sigterm(time) | Stop::Cancel(time) | Stop::CancelAccepting(time) = stop {
        sleep(time).await?;
    }
    match stop {
        Stop::Cancel(_) | Stop::CancelBefore => drop(this.cancel()),
        Stop::CancelAccepting(_) => {
            if let Some(accepting) = server.accepting.take() {
                accepting.cancel();
            }
        }
        Stop::Sigterm(_)
            if server.is_accepting.get() && is_caught(SIGTERM).map_err(Error::other)? =>
        {
            raise(SIGTERM)?;
            let _ = server.is_signalled.set_result(());
        }
        Stop::Sigterm(_) => {}
    }
    // While tasks are ready, no virtual time passes: so the loop sees the signal now.
    for _ in 0..8 {
        yield_now().await?;
    }
    Ok(())
}

/// Runs the server and returns its outcome and the number of tasks that haven't ended.
async fn serve(server: Rc<Server>, verbs: Vec<Verb>) -> Result<(Result<()>, usize)> {
    let (mut accepting, mut grace, mut others) = (Accepting::Ends, unique(15, 26), Vec::new());
    let (mut is_stopped, mut turns) = (false, 0);
    let Some(this) = current_task() else { return Err(Error::other("no task")) };
    for verb in verbs {
        match verb {
            Verb::Client(number, kind) => server.add(number, kind)?,
            Verb::Accept(other) => accepting = other,
            Verb::Grace(other) => grace = other,
            Verb::Ask(number, time) => {
                others.push(create_task(Rc::clone(&server).ask(number, time))?);
            }
            Verb::Stop(how) => {
                is_stopped = true;
                turns = if let Stop::CancelBefore = how { 2 } else { 0 };
                others.push(create_task(stop(Rc::clone(&server), this.clone(), how))?);
            }
            Verb::Hurry(time) => {
                let hurry = stop(Rc::clone(&server), this.clone(), Stop::Cancel(time));
                others.push(create_task(hurry)?);
            }
        }
    }
    if !is_stopped {
        let in_time = stop(Rc::clone(&server), this.clone(), Stop::Cancel(unique(40, 27)));
        others.push(create_task(in_time)?);
    }
    let accepting = create_task(accept(Rc::clone(&server), this.clone(), accepting))?;
    server.accepting.replace(Some(accepting.clone()));
    server.main.replace(Some(this));
    poll_fn(|context| {
        if turns == 0 {
            return Poll::Ready(());
        }
        turns -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    let outcome = serve_until_stopped(accepting.clone(), server.clients.clone(), grace).await;
    let left = server.tasks.borrow().iter().filter(|task| !task.done()).count();
    for other in &others {
        other.cancel();
    }
    Ok((outcome, left + usize::from(!accepting.done())))
}

/// Returns true if a server whose clients get no time ends, although its client would take an hour.
fn without_grace() -> anyhow::Result<bool> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let ends_early = event_loop.run_until_complete(async {
        let event_loop = get_running_loop()?;
        let (clients, began) = (Clients::new(), event_loop.time());
        clients.add(create_task(async {
            let asked = sleep(HOUR).await;
            sleep(HOUR).await.and(asked)
        })?);
        // Only the time counts here.
        let _ = serve_until_stopped(stopped_soon(&event_loop)?, clients, Duration::ZERO).await;
        Ok(event_loop.time() - began < HOUR)
    });
    event_loop.close()?;
    Ok(ends_early?)
}

/// Returns the error's kind, if any, of a server in a process whose signals another loop handles.
fn beside_another_loop() -> anyhow::Result<Option<ErrorKind>> {
    let other = EventLoop::new()?;
    other.add_signal_handler(SIGTERM, || {})?;
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let outcome = event_loop.run_until_complete(async {
        let accepting = stopped_soon(&get_running_loop()?)?;
        serve_until_stopped(accepting, Clients::new(), HOUR).await
    });
    event_loop.close()?;
    other.close()?;
    Ok(match outcome {
        Err(LoopError::Task(Error::Io(error))) => Some(error.kind()),
        _ => None,
    })
}

/// Makes a task that accepts until other code cancels it, soon.
fn stopped_soon(event_loop: &EventLoop) -> Result<Task<()>> {
    let accepting = create_task(sleep(HOUR))?;
    let to_stop = accepting.clone();
    event_loop.call_later(Duration::from_millis(1), move || {
        to_stop.cancel();
    });
    Ok(accepting)
}

trial!(
    servers_that_stop,
    100,
    "No matter how a server is stopped, it accepts no more clients, its clients get their time, and no \
     timer or task is left."
);
fn servers_that_stop(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let verbs = program.verbs(random_verbs(&mut program.random()));
    if program.number() == 0 {
        say!(
            t,
            "the grace is zero: a client that would take an hour is cancelled again: {}",
            without_grace()?
        );
        say!(t, "another loop handles signals: the call fails with {:?}", beside_another_loop()?);
    }
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(|_| {});
    for verb in &verbs {
        say!(t, "{verb}");
    }
    let server = Rc::new(Server {
        clients: Clients::new(),
        diaries: RefCell::default(),
        tasks: RefCell::default(),
        accepting: RefCell::default(),
        main: RefCell::default(),
        is_accepting: Cell::new(true),
        is_signalled: event_loop.create_future(),
    });
    let inner = Rc::clone(&server);
    let main = event_loop.create_task(async move {
        let (outcome, left) = serve(inner, verbs).await?;
        let now = get_running_loop()?.time();
        Ok(format!(
            "at {now} serve_until_stopped returns {outcome:?}; tasks that haven't ended: {left}"
        ))
    });
    let ended = event_loop.run_until_complete(main)?;
    for (number, kind, diary) in server.diaries.borrow().iter() {
        say!(t, "client {number}, which {kind}: {}", diary.borrow().join(", "));
    }
    say!(t, "{ended}");
    // What was cancelled at the end runs once more.
    event_loop.stop();
    event_loop.run_forever()?;
    say!(t, "SIGTERM has a handler: {}", is_caught(SIGTERM)?);
    say!(t, "the loop could sleep: {:?}", event_loop.select_timeout());
    event_loop.close()?;
    Ok(())
}
