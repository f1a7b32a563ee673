//! Timers and sleeps, on a virtual clock, so that no scene takes real time.

use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step07_full_loop::{
    Clock, EventLoop, Result, Time, VirtualClock, create_task, get_running_loop, sleep,
};

use super::asked_clock::AskedClock;

const HOUR: Duration = Duration::from_hours(1);

scene!(select_timeout_cases, "How long could each of these ticks sleep?");
/// A tick can't sleep at all if an entry is ready. Otherwise it can sleep until the nearest timer
/// that isn't cancelled, or forever if there's no timer. If there's a timer, the longest sleep is a
/// day, as in asyncio: `a timer in 50 days: Some(86400s)`. A stop is easy to forget. The loop looks
/// at the flag of `stop()` at the end of a tick, and a tick that sleeps without a timeout might
/// never get there: `nothing is ready, but the loop should stop: Some(0ns)`.
fn select_timeout_cases(t: Transcript) -> anyhow::Result<()> {
    let clock = AskedClock::default();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    let could_sleep = || clock.could_sleep(&event_loop);
    say!(t, "nothing to do: {:?}", could_sleep()?);

    event_loop.call_later(1200 * HOUR, || {});
    say!(t, "a timer in 50 days: {:?}", could_sleep()?);
    let nearest = event_loop.call_later(Duration::from_millis(1500), || {});
    event_loop.call_later(Duration::from_millis(2500), || {});
    say!(t, "two more timers, in 1.5 s and 2.5 s: {:?}", could_sleep()?);
    nearest.cancel();
    say!(t, "the nearest timer is cancelled: {:?}", could_sleep()?);
    clock.0.advance(Duration::from_secs(2));
    say!(t, "2 s later: {:?}", could_sleep()?);
    clock.0.advance(Duration::from_secs(2));
    say!(t, "2 s later again: {:?}", could_sleep()?);

    event_loop.call_soon(|| {});
    say!(t, "a callback is ready: {:?}", could_sleep()?);
    event_loop.stop();
    say!(t, "nothing is ready, but the loop should stop: {:?}", could_sleep()?);
    event_loop.close()?;
    Ok(())
}

scene!(
    an_answer_and_its_timeout: order,
    "A busy loop finds an answer and the answer's timeout in one tick. Which of the two callbacks runs?"
);
/// The reader runs, and the timeout never does. A tick queues the callbacks of descriptors before
/// the timers that are due, so `the reader takes the answer` first and cancels the timer, which is
/// in the queue by then. In the other order, a loop that was busy would report a timeout although
/// the answer is there. asyncio does the same.
fn an_answer_and_its_timeout(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    let (answers, peer) = pipe()?;
    let answers = Rc::new(answers);
    let stopper = event_loop.clone();
    say!(t, "an answer should arrive within 1 s");
    let timeout = event_loop.call_later(Duration::from_secs(1), move || {
        say!(t, "the timeout: no answer after 1 s");
        stopper.stop();
    });
    let (inner, fd) = (event_loop.clone(), Rc::clone(&answers));
    event_loop.add_reader(&*answers, move || {
        timeout.cancel();
        let removed = inner.remove_reader(&*fd);
        say!(t, "the reader takes the answer: {}", matches!(removed, Ok(true)));
    })?;
    event_loop.call_soon(move || {
        let answered = write(&peer, b"answer");
        clock.advance(Duration::from_secs(2));
        say!(t, "a callback works for 2 s; an answer arrives meanwhile: {}", answered.is_ok());
    });
    let stopper = event_loop.clone();
    event_loop.call_later(Duration::from_secs(3), move || {
        say!(t, "after 3 s: stop()");
        stopper.stop();
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}

/// A virtual clock that prints how long the loop sleeps.
struct SayingClock(VirtualClock, Transcript);

impl Clock for SayingClock {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        if let Some(duration) = wanted.filter(|duration| !duration.is_zero()) {
            say!(self.1, "  the loop sleeps for {:?}", duration);
        }
        self.0.sleep_for(wanted)
    }
}

scene!(
    timers_in_a_tick: order,
    "The nearest timer is cancelled; later, a timer is made that's already due. How long does the loop sleep?"
);
/// The loop sleeps for ten seconds and not for five: the cancelled timer is at the top of the heap,
/// and `next_timeout` drops it first (`the loop sleeps for 10s`). A timer that's due already costs
/// no sleep and runs in the next tick, because each tick queues the due timers before it runs the
/// queue. The callback that the timer schedules runs a tick later, as usual:
/// `the scheduled callback`.
fn timers_in_a_tick(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    clock.advance(Duration::from_secs(100));
    let event_loop = EventLoop::with_clock(SayingClock(clock, t))?;
    let nearest = event_loop.call_later(Duration::from_secs(5), move || say!(t, "never"));
    let stopper = event_loop.clone();
    event_loop.call_later(Duration::from_secs(10), move || {
        say!(t, "  the timer in 10 s: stop()");
        stopper.stop();
    });
    nearest.cancel();
    say!(t, "run_forever");
    event_loop.run_forever()?;
    let scheduler = event_loop.clone();
    event_loop.call_at(Time::ZERO + Duration::from_secs(109), move || {
        say!(t, "  the timer that was due schedules a callback");
        scheduler.call_soon(move || say!(t, "  the scheduled callback"));
    });
    for _ in 0..2 {
        say!(t, "one tick");
        event_loop.stop();
        event_loop.run_forever()?;
    }
    event_loop.close()?;
    Ok(())
}

scene!(
    work_and_sleep: order,
    "Three tasks sleep for one second each. How long do all three take together?"
);
/// Three tasks work for 0.1 s and wait for 1 s each. Work moves the clock forward while no other
/// task can run.
fn work_and_sleep(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    event_loop.run(async move {
        let mut tasks = Vec::new();
        for name in ["A", "B", "C"] {
            tasks.push(create_task(work_and_wait(name, t, clock.clone()))?);
        }
        for task in tasks {
            task.await?;
        }
        say!(t, "{}: all tasks are done", get_running_loop()?.time());
        Ok(())
    })?;
    Ok(())
}

async fn work_and_wait(name: &'static str, t: Transcript, clock: VirtualClock) -> Result<()> {
    let event_loop = get_running_loop()?;
    say!(t, "{}: {name} works", event_loop.time());
    clock.advance(Duration::from_millis(100));
    say!(t, "{}: {name} sleeps", event_loop.time());
    sleep(Duration::from_secs(1)).await?;
    say!(t, "{}: {name} is awake", event_loop.time());
    Ok(())
}

scene!(
    a_cancelled_sleep: order,
    "A sleeping task is cancelled. Does its timer still wake the loop?"
);
/// No timer is left (`after 1s, the loop could sleep: None`). A sleep owns its timer, and when the
/// sleep ends, even by an error, its destructor cancels the timer. Otherwise the loop would wake up
/// in an hour for a task that has long ended. Before the cancellation, the loop could have slept
/// for `Some(3599s)`, since one of the hour's seconds had passed.
fn a_cancelled_sleep(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let sleeper = create_task(sleep(HOUR))?;
        sleep(Duration::from_secs(1)).await?;
        say!(
            t,
            "after {}, the loop could sleep: {:?}",
            event_loop.time(),
            event_loop.select_timeout()
        );
        sleeper.cancel();
        say!(t, "the sleeper gets: {:?}", sleeper.await);
        say!(
            t,
            "after {}, the loop could sleep: {:?}",
            event_loop.time(),
            event_loop.select_timeout()
        );
        Ok(())
    })?;
    Ok(())
}
