//! Trials of a state machine that's written by hand: lines arrive, the client leaves, and it's
//! polled, in any order.

use std::fmt;
use std::future::Future as _;
use std::iter;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::{Dialogue, Lines, Result};

const WORDS: [&str; 5] = ["Ada", "London", "", "What's your name?", "Zoë of Paris"];

/// An event in the conversation.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Arrive(&'static str),
    Close,
    /// Polls with one of two wakers.
    Poll(usize),
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(16) {
            0..6 => Verb::Arrive(random.choose(&WORDS)),
            6 => Verb::Close,
            _ => Verb::Poll(random.below(2)),
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Arrive(line) => write!(f, "the client says {line:?}"),
            Verb::Close => f.write_str("the client leaves"),
            Verb::Poll(waker) => write!(f, "poll with waker {waker}"),
        }
    }
}

/// Says that it's called.
struct Says(usize, Transcript);

impl Wake for Says {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        say!(self.1, "  waker {} is called", self.0);
    }
}

/// Returns a name, some empty answers to the second question, and an end: a city or the client's
/// departure. Between two lines there can be a poll.
fn repetitions(random: &mut Random) -> Vec<Verb> {
    // The blanks belong to the name.
    let mut verbs = vec![Verb::Arrive(random.choose(&["Ada", " Grace ", ""]))];
    let empty = random.below(4);
    // Blanks aren't empty, so they're a city, too.
    let end = random.choose(&[Verb::Close, Verb::Arrive("London"), Verb::Arrive("  ")]);
    for verb in iter::repeat_n(Verb::Arrive(""), empty).chain([end]) {
        if random.once_in(2) {
            verbs.push(Verb::Poll(random.below(2)));
        }
        verbs.push(verb);
    }
    verbs.extend([Verb::Poll(0), Verb::Poll(1)]);
    verbs
}

trial!(
    conversations_in_any_order,
    150,
    "Each poll goes on as far as the lines allow, repeats only an unanswered question and loses no line."
);
fn conversations_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(14);
    let mut verbs: Vec<Verb> = (0..count).map(|_| Verb::random(&mut random)).collect();
    // Every other one gets further: the second question is repeated, perhaps several times.
    if program.number().is_multiple_of(2) {
        verbs.extend(repetitions(&mut random));
    }
    let verbs = program.verbs(verbs);
    let wakers = [0, 1].map(|number| Waker::from(Arc::new(Says(number, t))));
    let lines = Lines::default();
    let mut dialogue = Dialogue::new(lines.clone());
    let mut has_ended = false;
    for verb in verbs {
        say!(t, "{verb}");
        match verb {
            Verb::Arrive(line) => lines.arrive(line),
            Verb::Close => lines.close(),
            Verb::Poll(_) if has_ended => {
                say!(t, "  after the end: panics = {}", panics_if_polled(&mut dialogue));
            }
            Verb::Poll(waker) => {
                let polled = poll(&mut dialogue, &wakers[waker]);
                has_ended = polled.is_ready();
                say!(t, "  {}", described(&polled));
            }
        }
        for line in lines.take_said() {
            say!(t, "  the server says {line:?}");
        }
    }
    Ok(())
}

fn poll(dialogue: &mut Dialogue, waker: &Waker) -> Poll<Result<String>> {
    Pin::new(dialogue).poll(&mut Context::from_waker(waker))
}

fn described(polled: &Poll<Result<String>>) -> String {
    match polled {
        Poll::Pending => "Pending".to_owned(),
        Poll::Ready(Ok(name)) => format!("Ready({name:?})"),
        Poll::Ready(Err(error)) => format!("Ready(error: {error})"),
    }
}

/// Polls after the end. Panicking is right here, so the panic is kept from the runner.
fn panics_if_polled(dialogue: &mut Dialogue) -> bool {
    let reports = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let polled = catch_unwind(AssertUnwindSafe(|| poll(dialogue, Waker::noop())));
    panic::set_hook(reports);
    polled.is_err()
}
