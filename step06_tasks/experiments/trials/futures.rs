//! Trials of a future: random programs that finish it and wait for it with callbacks and wakers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::for_trials::run_uncounted;
use step06_tasks::{CallbackId, Error, Future, ReadyQueue};

thread_local! {
    /// A waker has to be `Send`, and a queue isn't.
    static QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
}

/// The action of the future's callback when it gets the result.
#[derive(Debug, Clone, Copy)]
enum Action {
    Nothing,
    FinishAgain,
    AddAnother,
}

/// An action that the program carries out on the future. Callbacks and waiters are numbered in the
/// order in which they're added.
#[derive(Debug, Clone, Copy)]
enum Verb {
    AddDoneCallback(usize, Action),
    Poll(usize),
    SetResult(usize),
    SetException(usize),
    Cancel,
    CancelWith(usize),
    Result,
    Exception,
    /// Removes the callback with this number, which can be waiting, or have run, or never have
    /// existed.
    RemoveDoneCallback(usize),
    RunReady,
}

impl Verb {
    fn random(number: usize, random: &mut Random) -> Verb {
        match random.below(20) {
            0..4 => {
                let actions = [Action::Nothing, Action::FinishAgain, Action::AddAnother];
                Verb::AddDoneCallback(number, random.choose(&actions))
            }
            4..7 => Verb::Poll(number),
            7 => Verb::Poll(0),
            8..10 => Verb::SetResult(number),
            10 => Verb::SetException(number),
            11 => Verb::Cancel,
            12 => Verb::Result,
            13 => Verb::Exception,
            14 => Verb::CancelWith(number),
            15..17 => Verb::RemoveDoneCallback(1 + random.below(number)),
            _ => Verb::RunReady,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::AddDoneCallback(number, _) => write!(f, "add_done_callback(callback {number})"),
            Verb::Poll(number) => write!(f, "waiter {number} polls"),
            Verb::SetResult(number) => write!(f, "set_result({number})"),
            Verb::SetException(number) => write!(f, "set_exception(error {number})"),
            Verb::Cancel => f.write_str("cancel()"),
            Verb::CancelWith(number) => write!(f, "cancel_with(message {number})"),
            Verb::Result => f.write_str("result()"),
            Verb::Exception => f.write_str("exception()"),
            Verb::RemoveDoneCallback(number) => {
                write!(f, "remove_done_callback(callback {number})")
            }
            Verb::RunReady => f.write_str("the queue runs"),
        }
    }
}

/// Waits for the future like a task: a wake-up only queues it.
struct Waiter {
    number: usize,
    t: Transcript,
}

impl Wake for Waiter {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let (t, number) = (self.t, self.number);
        let queue = QUEUE.with_borrow(Clone::clone);
        queue.map(|queue| queue.call_soon(move || say!(t, "  waiter {number} was woken")));
    }
}

/// The outcome of a call, without the text of an `InvalidState`.
fn outcome<T: fmt::Debug>(result: step06_tasks::Result<T>) -> String {
    match result {
        Err(Error::InvalidState(_)) => "Err(InvalidState)".to_owned(),
        Err(Error::Other(error)) => format!("Err({error})"),
        other => format!("{other:?}"),
    }
}

fn add_done_callback(
    t: Transcript,
    future: &Future<usize>,
    number: usize,
    action: Action,
) -> CallbackId {
    future.add_done_callback(move |future| {
        say!(t, "  callback {number} gets: {}", outcome(future.result()));
        match action {
            Action::Nothing => {}
            Action::FinishAgain => {
                say!(t, "    set_result(99): {}", outcome(future.set_result(99)));
            }
            Action::AddAnother => {
                say!(t, "    callback {number} adds callback {}", number + 100);
                add_done_callback(t, future, number + 100, Action::Nothing);
            }
        }
    })
}

trial!(
    a_future_is_finished_once,
    200,
    "A future is finished once, and all waiters are scheduled in the order in which they were added."
);
fn a_future_is_finished_once(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // Last, so that a random program shows a mistake that any of them can show.
    if program.number() == 199 {
        refused_after_an_error(t)?;
    }
    let mut random = program.random();
    // Short ones too: each verb can hide what another one did.
    let count = random.below(16);
    let verbs = program.verbs((1..=count).map(|number| Verb::random(number, &mut random)));
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let future: Future<usize> = queue.create_future();
    QUEUE.set(Some(queue.clone()));
    let (mut waiters, mut callbacks) = (Vec::new(), BTreeMap::new());
    for verb in verbs {
        let did = match verb {
            Verb::AddDoneCallback(number, action) => {
                callbacks.insert(number, add_done_callback(t, &future, number, action));
                "done".to_owned()
            }
            Verb::Poll(number) => {
                let mut handle = future.clone();
                let polled = poll(t, &mut handle, number);
                // A handle that's dropped gives up its wait.
                waiters.push(handle);
                polled
            }
            Verb::SetResult(number) => outcome(future.set_result(number)),
            Verb::SetException(number) => {
                outcome(future.set_exception(Error::other(format!("error {number}"))))
            }
            Verb::Cancel => future.cancel().to_string(),
            Verb::CancelWith(number) => {
                future.cancel_with(&format!("message {number}")).to_string()
            }
            Verb::Result => outcome(future.result()),
            Verb::Exception => outcome(future.exception().map(|it| it.map(|it| it.to_string()))),
            Verb::RemoveDoneCallback(number) => {
                let id = callbacks.get(&number).copied();
                format!("{:?}", id.map(|id| future.remove_done_callback(id)))
            }
            Verb::RunReady => {
                say!(t, "{verb}");
                run_uncounted(&queue);
                continue;
            }
        };
        say!(t, "{verb}: {did}; the future is {}", state(&future));
    }
    say!(t, "the queue runs until nothing is ready");
    run_uncounted(&queue);
    say!(t, "the last handle is dropped");
    drop((future, waiters));
    QUEUE.take();
    Ok(())
}

/// A future fails and can't be finished again, and no code asks for its error.
fn refused_after_an_error(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let future: Future<usize> = queue.create_future();
    say!(t, "set_exception(): {}", outcome(future.set_exception(Error::other("no such user"))));
    say!(t, "set_result(7), which is refused: {}", outcome(future.set_result(7)));
    drop(future);
    Ok(())
}

fn poll(t: Transcript, future: &mut Future<usize>, number: usize) -> String {
    let waker = Waker::from(Arc::new(Waiter { number, t }));
    match Pin::new(future).poll(&mut Context::from_waker(&waker)) {
        Poll::Pending => "Pending".to_owned(),
        Poll::Ready(result) => format!("Ready({})", outcome(result)),
    }
}

fn state(future: &Future<usize>) -> &'static str {
    match (future.done(), future.cancelled()) {
        (false, false) => "pending",
        (true, false) => "done",
        (true, true) => "cancelled",
        (false, true) => "cancelled, but not done",
    }
}
