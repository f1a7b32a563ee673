//! The way from the kernel to a coroutine, and the effect of a slow callback on everything else on
//! the loop.

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::{Duration, Instant};

use scene::{Transcript, say, scene};
use step01_fd::{Read, pipe, read, write};
use step07_full_loop::{EventLoop, Future, Result, Time, VirtualClock};

scene!(
    from_descriptor_to_coroutine: order,
    "A task awaits a future, and a pipe's reader sets the future's result. What happens in which tick?"
);
/// The loop's ticks are counted by a callback that schedules itself. In the second tick, it writes
/// the byte for which the pipe's reader waits.
fn from_descriptor_to_coroutine(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (reader, writer) = pipe()?;
    let future = event_loop.create_future();
    let reader = Rc::new(reader);
    event_loop.add_reader(&reader, on_readable(Rc::clone(&reader), future.clone(), t))?;
    count_ticks(1, event_loop.clone(), writer, t);
    event_loop.run_until_complete(wait_for(future, t))?;
    event_loop.remove_reader(&reader)?;
    event_loop.close()?;
    Ok(())
}

async fn wait_for(future: Future<usize>, t: Transcript) -> Result<()> {
    say!(t, "  the task awaits the future");
    let bytes = future.await?;
    say!(t, "  the task goes on: {} byte", bytes);
    Ok(())
}

fn on_readable(reader: Rc<OwnedFd>, future: Future<usize>, t: Transcript) -> impl FnMut() {
    move || {
        if let Ok(Read::Bytes(count)) = read(&reader, &mut [0; 16])
            && future.set_result(count).is_ok()
        {
            say!(t, "  the pipe's reader reads and sets the future's result");
        }
    }
}

fn count_ticks(tick: u32, event_loop: EventLoop, writer: OwnedFd, t: Transcript) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "tick {}", tick);
        if tick == 2 && write(&writer, b"!").is_ok() {
            say!(t, "  a byte is written into the pipe");
        }
        count_ticks(tick + 1, next, writer, t);
    });
}

scene!(
    time_inside_a_callback,
    "A callback asks for the loop's time, works for a millisecond and asks again. Has the loop's time changed?"
);
/// Yes: `time()` reads the clock whenever it's called, here and in asyncio, so the time doesn't
/// stand still during a tick (`the loop's time has moved on: true`). libuv, Node's loop, is
/// different. It notes the time after its wait and doesn't itself look at the clock again while
/// the due timers run.
fn time_inside_a_callback(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let inner = event_loop.clone();
    event_loop.call_soon(move || {
        let before = inner.time();
        work_for(Duration::from_millis(1));
        say!(t, "the loop's time has moved on: {}", inner.time() > before);
        inner.stop();
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}

fn work_for(duration: Duration) {
    let began = Instant::now();
    while began.elapsed() < duration {}
}

/// The number of requests in the scene below, 0.1 ms apart.
const REQUESTS: u32 = 2000;

scene!(
    a_callback_blocks,
    "10,000 requests arrive per second, and a callback blocks the loop for 100 ms. How many requests have to wait?"
);
/// A thousand requests wait. While a callback runs, no other callback does, so the requests that
/// arrive in these 100 ms wait for its end. At 10,000 per second, that's a thousand. The first of
/// them waits for nearly as long as the callback runs, and the last hardly at all:
/// `1000 had to wait, for 99.95ms at most`. Requests that arrive later are answered at once again.
/// But a single callback of 100 ms has made half of this run's requests late.
fn a_callback_blocks(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    let answered: Rc<RefCell<Vec<Answer>>> = Rc::default();
    for number in 1..=REQUESTS {
        let arrived = Time::ZERO + number * Duration::from_micros(100);
        let (inner, answered) = (event_loop.clone(), Rc::clone(&answered));
        event_loop.call_at(arrived, move || {
            answered.borrow_mut().push(Answer { arrived, at: inner.time() });
        });
    }
    event_loop.call_later(Duration::from_micros(50_050), move || {
        clock.advance(Duration::from_millis(100));
    });
    let stopper = event_loop.clone();
    event_loop.call_later(Duration::from_millis(201), move || stopper.stop());
    event_loop.run_forever()?;
    event_loop.close()?;

    let answered = answered.borrow();
    let late: Vec<Duration> =
        answered.iter().map(Answer::delay).filter(|delay| !delay.is_zero()).collect();
    say!(
        t,
        "{} requests, {} of them answered at once",
        answered.len(),
        answered.len() - late.len()
    );
    say!(
        t,
        "{} had to wait, for {:?} at most",
        late.len(),
        late.iter().max().copied().unwrap_or_default()
    );
    Ok(())
}

struct Answer {
    arrived: Time,
    at: Time,
}

impl Answer {
    fn delay(&self) -> Duration {
        self.at - self.arrived
    }
}
