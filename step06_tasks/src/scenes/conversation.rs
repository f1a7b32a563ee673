//! A conversation that waits in the middle, written twice.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use scene::{Transcript, say, scene};
use step06_tasks::{Dialogue, Lines, Result, dialogue};

scene!(
    a_dialogue_written_twice,
    "An async function and a state machine written by hand hear the same lines. Who says what?"
);
/// Polls both whenever something has happened, and once when nothing has.
fn a_dialogue_written_twice(t: Transcript) -> anyhow::Result<()> {
    let (to_machine, to_function) = (Lines::default(), Lines::default());
    let mut machine = Dialogue::new(to_machine.clone());
    let mut function = pin!(dialogue(to_function.clone()));
    let mut poll_both = || {
        let polled = [poll(Pin::new(&mut machine)), poll(function.as_mut())];
        let said = [to_machine.take_said(), to_function.take_said()];
        for ((name, polled), said) in ["by hand", "async fn"].into_iter().zip(polled).zip(said) {
            say!(t, "  {name}: {polled}, said {said:?}");
        }
    };
    say!(t, "the first poll");
    poll_both();
    say!(t, "once more, and no line has arrived");
    poll_both();
    for line in ["Ada", "London"] {
        say!(t, "the client says {line:?}");
        to_machine.arrive(line);
        to_function.arrive(line);
        poll_both();
    }
    Ok(())
}

fn poll(conversation: Pin<&mut impl Future<Output = Result<String>>>) -> String {
    match conversation.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => "Pending".to_owned(),
        Poll::Ready(Ok(name)) => format!("Ready({name})"),
        Poll::Ready(Err(error)) => format!("Ready({error})"),
    }
}
