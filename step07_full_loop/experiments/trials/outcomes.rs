//! Trials of `complete`: outcomes that come from any thread, before a future is cancelled and
//! after.

use std::sync::Arc;
use std::thread;

use anyhow::anyhow;
use kit::Turns;
use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{Completer, Error, EventLoop, LoopResult, Result};

use super::state::State;

const FUTURES: usize = 3;

/// The value of a future. It's counted, so that none is left at the end.
type Value = Arc<usize>;

/// Where an outcome comes from.
#[derive(Debug, Clone, Copy)]
enum From {
    Thread,
    /// A thread on which another loop runs, with futures of its own.
    ThreadWithALoop,
    /// The loop's own thread, while the loop doesn't run.
    Here,
    /// The loop's own thread, while another loop runs on it.
    HereInAnotherLoop,
    ACallback,
}

#[derive(Debug, Clone, Copy)]
enum OutcomeKind {
    Value,
    Failure,
    Io,
    Cancellation,
}

/// Something that happens to the loop and its futures.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Complete(usize, OutcomeKind, From),
    Cancel(usize),
    SetResult(usize),
    CallSoon(usize),
    Send(usize),
    Tick,
    Close,
}

impl Verb {
    fn random(number: usize, random: &mut Random) -> Verb {
        let future = random.below(FUTURES);
        let kinds = [
            OutcomeKind::Value,
            OutcomeKind::Value,
            OutcomeKind::Failure,
            OutcomeKind::Io,
            OutcomeKind::Cancellation,
        ];
        let threads = [From::Thread, From::Thread, From::ThreadWithALoop];
        let from = [&threads[..], &[From::Here, From::HereInAnotherLoop, From::ACallback]].concat();
        match random.below(20) {
            0..8 => Verb::Complete(future, random.choose(&kinds), random.choose(&from)),
            8 => Verb::Cancel(future),
            9 => Verb::SetResult(future),
            10..13 => Verb::CallSoon(number),
            13..15 => Verb::Send(number),
            15..19 => Verb::Tick,
            _ => Verb::Close,
        }
    }
}

impl OutcomeKind {
    fn outcome(self, value: &Value) -> Result<Value> {
        match self {
            OutcomeKind::Value => Ok(Arc::clone(value)),
            OutcomeKind::Failure => Err(Error::other("no such user")),
            OutcomeKind::Io => Err(Error::from(std::io::Error::from_raw_os_error(libc::ENOENT))),
            OutcomeKind::Cancellation => Err(Error::cancelled()),
        }
    }
}

fn said(outcome: LoopResult<()>) -> String {
    outcome.map_or_else(|error| error.to_string(), |()| "sent".to_owned())
}

/// Completes a future while a loop of its own runs, whose futures have the same numbers.
fn complete_in_another_loop(
    completer: Completer<Value>,
    outcome: Result<Value>,
) -> LoopResult<String> {
    let another = EventLoop::new()?;
    let its_own: Vec<_> = (0..FUTURES).map(|_| another.create_remote_future::<Value>()).collect();
    let sent = another.run_until_complete(async move { Ok(said(completer.complete(outcome))) })?;
    another.stop();
    another.run_forever()?;
    let touched = its_own.iter().filter(|(future, _)| future.done()).count();
    another.close()?;
    Ok(format!("{sent}; the other loop's futures that are done: {touched}"))
}

fn complete(
    t: Transcript,
    event_loop: &EventLoop,
    completer: Completer<Value>,
    outcome: Result<Value>,
    from: From,
) -> anyhow::Result<String> {
    let on_a_thread = |work: Box<dyn FnOnce() -> LoopResult<String> + Send>| {
        Ok(thread::spawn(work).join().map_err(|_| anyhow!("the thread panicked"))??)
    };
    match from {
        From::Thread => on_a_thread(Box::new(move || Ok(said(completer.complete(outcome))))),
        From::ThreadWithALoop => {
            on_a_thread(Box::new(move || complete_in_another_loop(completer, outcome)))
        }
        From::Here => Ok(said(completer.complete(outcome))),
        From::HereInAnotherLoop => Ok(complete_in_another_loop(completer, outcome)?),
        From::ACallback if event_loop.is_closed() => Ok("no callback runs".to_owned()),
        From::ACallback => {
            event_loop
                .call_soon(move || say!(t, "  a callback: {}", said(completer.complete(outcome))));
            Ok("a callback will".to_owned())
        }
    }
}

trial!(
    outcomes_from_threads,
    120,
    "A future gets its outcome by a callback in its own loop, wherever the outcome comes from."
);
fn outcomes_from_threads(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..12).map(|number| Verb::random(number, &mut random)));
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(|_| {});
    let value = Arc::new(7);
    let (mut futures, mut completers) = (Vec::new(), Vec::new());
    for number in 0..FUTURES {
        let (future, completer) = event_loop.create_remote_future();
        future.add_done_callback(move |future| say!(t, "  future {number}: {}", State(future)));
        futures.push(future);
        completers.push(Some(completer));
    }
    for verb in verbs.into_iter().chain([Verb::Tick, Verb::Tick]) {
        let did = match verb {
            Verb::Complete(number, kind, from) => match completers[number].take() {
                None => continue,
                Some(completer) => complete(t, &event_loop, completer, kind.outcome(&value), from)?,
            },
            Verb::Cancel(number) => futures[number].cancel().to_string(),
            Verb::SetResult(number) => {
                futures[number].set_result(Arc::clone(&value)).is_ok().to_string()
            }
            Verb::Send(number) => {
                let sent = event_loop.handle().call_soon_threadsafe(move || {
                    say!(t, "  sent callback {number}");
                });
                said(sent)
            }
            Verb::CallSoon(_) | Verb::Tick if event_loop.is_closed() => continue,
            Verb::CallSoon(number) => {
                event_loop.call_soon(move || say!(t, "  callback {number}"));
                "scheduled".to_owned()
            }
            Verb::Tick => {
                say!(t, "one tick");
                event_loop.stop();
                event_loop.run_forever()?;
                "over".to_owned()
            }
            Verb::Close => {
                event_loop.close()?;
                "closed".to_owned()
            }
        };
        let states: Vec<_> = futures.iter().map(|future| State(future).to_string()).collect();
        say!(t, "{verb:?}: {did}. The futures: {}", states.join(", "));
    }
    event_loop.close()?;
    drop((futures, completers, event_loop));
    say!(t, "closed; values that are left: {}", Arc::strong_count(&value) - 1);
    Ok(())
}

trial!(
    an_outcome_is_taken_while_it_is_sent,
    1,
    "Whenever the loop looks, it either finds an outcome, or will be told of it."
);
fn an_outcome_is_taken_while_it_is_sent(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut thread = Turns::new(1)?;
    for value in program.verbs(1..3) {
        let event_loop = EventLoop::new()?;
        let (future, completer) = event_loop.create_remote_future();
        let bring = move || drop(completer.complete(Ok(value)));
        let mut ran = Ok(());
        // The thread stops at its calls, and at each of them the loop takes what is there.
        let tick = |able: &[usize]| {
            ran = one_tick(&event_loop);
            able[0]
        };
        let (ending, _) = thread.run(vec![Box::new(bring)], tick)?;
        ran?;
        one_tick(&event_loop)?;
        say!(t, "the thread: {ending:?}; the future: {:?}", future.result());
        event_loop.close()?;
    }
    Ok(())
}

/// Runs one tick, which takes what was sent before even if there's no byte yet.
fn one_tick(event_loop: &EventLoop) -> LoopResult<()> {
    event_loop.call_soon(|| {});
    event_loop.stop();
    event_loop.run_forever()
}
