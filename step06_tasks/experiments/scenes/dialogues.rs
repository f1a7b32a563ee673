//! One conversation as two machines: by hand, and by the compiler.

use std::future::Future as Coroutine;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use scene::{Transcript, say, scene};
use step06_tasks::{Dialogue, Lines, Result, dialogue};

scene!(
    the_same_machine_twice,
    "The same conversation is written by hand and as an `async fn`. Where do the two differ?"
);
/// They don't differ in any line. From the `async fn`, rustc makes a type like the one by hand,
/// with a state for each `.await` that holds the variables still needed after it. There's no hidden
/// thread and no second stack. Neither machine says anything `before the first poll`, because
/// `Dialogue::new` only stores the first state and calling an `async fn` runs none of its body.
/// After the first poll, a poll without a new line leaves the state as it is. So does the poll
/// after `an empty line`: the loop in the `async fn` adds no state but leads back to the same one.
fn the_same_machine_twice(t: Transcript) -> anyhow::Result<()> {
    let (by_hand, by_rustc) = (Lines::default(), Lines::default());
    let mut machine = Dialogue::new(by_hand.clone());
    let coroutine = dialogue(by_rustc.clone());
    say!(t, "before the first poll");
    say!(t, "  by hand:  {}, {}", size(&machine), said(&by_hand));
    say!(t, "  by rustc: {}, {}", size(&coroutine), said(&by_rustc));
    let mut coroutine = std::pin::pin!(coroutine);

    let moments = [
        ("polled", None),
        ("Ada", Some("Ada")),
        ("polled again", None),
        ("an empty line", Some("")),
        ("London", Some("London")),
    ];
    for (moment, line) in moments {
        say!(t, "{moment}");
        if let Some(line) = line {
            by_hand.arrive(line);
            by_rustc.arrive(line);
        }
        let (hand, rustc) = (poll(Pin::new(&mut machine)), poll(coroutine.as_mut()));
        say!(t, "  by hand:  {hand}, {}", said(&by_hand));
        say!(t, "  by rustc: {rustc}, {}", said(&by_rustc));
        // A machine that has ended can't be polled any more.
        if [hand, rustc].iter().any(|it| it != "pending") {
            break;
        }
    }
    Ok(())
}

fn poll(coroutine: Pin<&mut impl Coroutine<Output = Result<String>>>) -> String {
    match coroutine.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => "pending".to_owned(),
        Poll::Ready(Ok(name)) => format!("ready with {name}"),
        Poll::Ready(Err(error)) => error.to_string(),
    }
}

fn said(lines: &Lines) -> String {
    let said = lines.take_said();
    if said.is_empty() { "says nothing".to_owned() } else { format!("says {}", said.join(" ")) }
}

/// Says roughly how large a machine is, because how the compiler packs one isn't promised.
fn size<C>(machine: &C) -> String {
    let bytes = size_of_val(machine);
    if bytes <= 256 { "256 bytes or less".to_owned() } else { format!("{bytes} bytes") }
}
