//! News for the loop, from the loop's side.

use std::io;
use std::thread;

use scene::{Transcript, say, scene};
use step05_selfpipe::{Inbox, Sender};

use super::waking::{is_readable, sleep, watch};
use kit::Sleeper;
use kit::interruption::{Gate, interrupt_me_at};

scene!(
    take_empties_the_queue,
    "Three values are sent, then none, then one. What does the loop take each time?"
);
/// All comes at once, in order, and once. Then the alarm is off, and the next value sets it again.
fn take_empties_the_queue(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let mut selector = watch(&inbox)?;
    let sender = inbox.sender();
    let mut news = Vec::new();
    for value in ["one", "two", "three"] {
        sender.send(value).ok();
    }
    inbox.take(&mut news)?;
    say!(t, "three were sent, taken: {news:?}");
    say!(t, "the alarm is on:        {}", is_readable(&mut selector)?);
    inbox.take(&mut news)?;
    say!(t, "none was sent, taken:   {news:?}");
    sender.send("four").ok();
    say!(t, "the alarm is on:        {}", is_readable(&mut selector)?);
    inbox.take(&mut news)?;
    say!(t, "one was sent, taken:    {news:?}");
    Ok(())
}

scene!(send_during_drain, "A value is sent while the loop is draining the pipe. Is it found?");
/// The loop is held in the middle of its drain, and just then a value is sent. Its byte goes down
/// the drain with the others. So the queue must be looked at after that, and not before.
fn send_during_drain(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let (sender, waker) = (inbox.sender(), inbox.waker());
    say!(t, "the pipe is full, nothing is in the queue, and the loop drains");
    let gate = Gate::for_the_next()?;
    let the_loop = Sleeper::start(move || {
        // The kernel will tell whoever has found the pipe full that there is room again.
        let news = interrupt_me_at(&waker).and_then(|()| {
            (0..10_000).for_each(|_| waker.wake());
            take_some(&inbox, Vec::new())
        });
        format!("the loop finds:                     {news:?}")
    })?;
    the_loop.wait_until_asleep()?;
    say!(t, "it is held in the middle of that:   {}", gate.holds_somebody());

    let sending = Sleeper::start(move || format!("{:?}", sender.send("in the middle")))?;
    // Until it is done, or waits for a lock that the loop holds.
    sending.wait_until_asleep()?;
    say!(t, "a value is sent, and the loop goes on");
    gate.open()?;
    sending.join()?;
    say!(t, "{}", the_loop.join()?);
    Ok(())
}

/// Takes what has come; if that is nothing, sleeps until something has.
fn take_some<T>(inbox: &Inbox<T>, mut news: Vec<T>) -> io::Result<Vec<T>> {
    inbox.take(&mut news)?;
    if news.is_empty() {
        sleep(&mut watch(inbox)?)?;
        inbox.take(&mut news)?;
    }
    Ok(news)
}

/// A value that sends another one when it is dropped.
struct Bell {
    sound: &'static str,
    echo: Option<Sender<Bell>>,
}

impl Drop for Bell {
    fn drop(&mut self) {
        if let Some(sender) = self.echo.take() {
            let _ = sender.send(Bell { sound: "an echo", echo: None });
        }
    }
}

scene!(
    destructor_that_sends,
    "A value sends another one as the loop drops it. Who waits for whom?"
);
/// What is sent may be anything, so its end may do anything: here it sends. If the queue is locked
/// at that moment, the loop waits for itself.
fn destructor_that_sends(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    sender.send(Bell { sound: "a bell", echo: Some(sender.clone()) }).ok();
    let mut news = Vec::new();
    for turn in 1..=2 {
        // The news of the last turn is handed in, to be dropped.
        news = take_some(&inbox, news)?;
        let sounds: Vec<_> = news.iter().map(|bell| bell.sound).collect();
        say!(t, "turn {turn}: {sounds:?}");
    }
    Ok(())
}

const THREADS: usize = 8;
const VALUES: usize = 100_000;

scene!(
    eight_hundred_thousand_values,
    "Eight threads send 100,000 values each. How many are lost, or come twice?"
);
/// Eight threads send as fast as they can, and the loop takes what there is whenever it is woken.
/// The values of one thread come in their order; each comes once; and in the end nothing is left.
fn eight_hundred_thousand_values(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let mut selector = watch(&inbox)?;
    let senders: Vec<_> = (0..THREADS)
        .map(|thread| {
            let sender = inbox.sender();
            thread::spawn(move || (0..VALUES).all(|value| sender.send((thread, value)).is_ok()))
        })
        .collect();

    let mut next = [0; THREADS];
    let mut out_of_order = 0;
    let mut news = Vec::new();
    while next.iter().sum::<usize>() < THREADS * VALUES {
        sleep(&mut selector)?;
        inbox.take(&mut news)?;
        for &(thread, value) in &news {
            out_of_order += usize::from(value != next[thread]);
            next[thread] += 1;
        }
    }
    let all_sent = senders.into_iter().all(|sender| sender.join().is_ok_and(|sent| sent));
    say!(t, "all were sent:               {all_sent}");
    say!(t, "taken, from each thread:     {next:?}");
    say!(t, "out of order, or twice:      {out_of_order}");
    say!(t, "left in the queue:           {}", inbox.len());
    Ok(())
}
