//! Trials of `run_once`: loops with callbacks, timers and a pipe, whose callbacks use the loop.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{pipe, read, write};
use step07_full_loop::{Clock, EventLoop, Time, TimerHandle, VirtualClock};

/// A callback's action when it runs.
#[derive(Debug, Clone, Copy)]
enum Action {
    Nothing,
    CallSoon,
    CallLater(Duration),
    Advance(Duration),
    Write,
    Read,
    AddReader,
    RemoveReader,
    Send,
    CancelTimer(usize),
    Stop,
}

/// An action that the program carries out on the loop. Callbacks and timers are numbered in the
/// order in which they come; the callback that callback 3 schedules has number 103.
#[derive(Debug, Clone, Copy)]
enum Verb {
    CallSoon(usize, Action),
    CallLater(usize, Duration, Action),
    AddReader(Action),
    Write,
    Send(usize),
    /// The clock adds a reader when the loop asks how long to sleep.
    AddReaderInTheClock(Action),
    Tick,
    RunFor(Duration),
}

fn random_time(random: &mut Random) -> Duration {
    Duration::from_millis(random.choose(&[0, 0, 1, 5, 5, 60_000]))
}

impl Action {
    fn random(number: usize, random: &mut Random) -> Action {
        let time = random_time(random);
        let timer = random.below(number + 3);
        let others = [Action::Write, Action::Read, Action::AddReader, Action::RemoveReader];
        match random.below(20) {
            0..3 => Action::CallSoon,
            3..6 => Action::CallLater(time),
            6..8 => Action::Advance(time),
            8..13 => random.choose(&others),
            13..15 => Action::Send,
            15 => Action::CancelTimer(timer),
            16 => Action::Stop,
            _ => Action::Nothing,
        }
    }
}

impl Verb {
    fn random(number: usize, random: &mut Random) -> Verb {
        let time = random_time(random);
        let action = Action::random(number, random);
        match random.below(16) {
            0..4 => Verb::CallSoon(number, action),
            4..8 => Verb::CallLater(number, time, action),
            8..10 => Verb::AddReader(action),
            10 => Verb::Write,
            11 => random.choose(&[Verb::Send(number), Verb::AddReaderInTheClock(action)]),
            12..15 => Verb::Tick,
            _ => Verb::RunFor(time),
        }
    }
}

/// An action that a clock carries out once.
type Errand = Rc<RefCell<Option<Box<dyn FnOnce()>>>>;

/// A virtual clock that does an errand and then prints how long the loop wants to sleep.
struct SayingClock(VirtualClock, Transcript, Errand);

impl Clock for SayingClock {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        let errand = self.2.take();
        if let Some(errand) = errand {
            errand();
        }
        match wanted {
            Some(Duration::ZERO) => {}
            Some(duration) => say!(self.1, "  sleeps for {duration:?}"),
            // With nothing to do, it would sleep for real, and no thread would wake it.
            None => say!(self.1, "  sleeps forever"),
        }
        self.0.sleep_for(wanted)
    }
}

/// The loop and the state that its callbacks share.
struct World {
    t: Transcript,
    event_loop: EventLoop,
    clock: VirtualClock,
    pipe: (OwnedFd, OwnedFd),
    timers: RefCell<BTreeMap<usize, TimerHandle>>,
    readers: Cell<usize>,
}

/// A value in a reader's callback that prints a line when the callback is dropped.
struct SaysDropped(Transcript, usize);

impl Drop for SaysDropped {
    fn drop(&mut self) {
        say!(self.0, "  reader {} is dropped", self.1);
    }
}

impl World {
    fn call_soon(self: &Rc<Self>, number: usize, action: Action) {
        let world = Rc::clone(self);
        self.event_loop.call_soon(move || world.run("callback", number, action));
    }

    fn call_later(self: &Rc<Self>, number: usize, delay: Duration, action: Action) {
        let world = Rc::clone(self);
        let run = move || world.run("timer", number, action);
        let timer = self.event_loop.call_later(delay, run);
        self.timers.borrow_mut().insert(number, timer);
    }

    fn add_reader(self: &Rc<Self>, action: Action) {
        let number = self.readers.get();
        self.readers.set(number + 1);
        let (world, guard) = (Rc::clone(self), SaysDropped(self.t, number));
        let mut calls = 0;
        let added = self.event_loop.add_reader(&self.pipe.0, move || {
            calls += 1;
            // After two calls it empties the pipe, so that it doesn't make work forever.
            let action = if calls > 2 { Action::Read } else { action };
            world.run("reader", guard.1, action);
        });
        if let Err(error) = added {
            say!(self.t, "  add_reader: {:?}", error.kind());
        }
    }

    fn send(&self, number: usize) {
        let t = self.t;
        let sent = self.event_loop.handle().call_soon_threadsafe(move || {
            say!(t, "  sent callback {number}");
        });
        if sent.is_err() {
            say!(t, "  call_soon_threadsafe failed");
        }
    }

    fn run(self: &Rc<Self>, what: &str, number: usize, action: Action) {
        say!(self.t, "  {}: {what} {number}: {action:?}", self.event_loop.time());
        match action {
            Action::Nothing => {}
            Action::CallSoon => self.call_soon(number + 100, Action::Nothing),
            Action::CallLater(delay) => self.call_later(number + 100, delay, Action::Nothing),
            Action::Advance(duration) => self.clock.advance(duration),
            Action::Write => drop(write(&self.pipe.1, b"!")),
            Action::Read => drop(read(&self.pipe.0, &mut [0; 64])),
            Action::AddReader => self.add_reader(Action::Read),
            Action::RemoveReader => drop(self.event_loop.remove_reader(&self.pipe.0)),
            Action::Send => self.send(number + 100),
            Action::CancelTimer(timer) => {
                let timer = self.timers.borrow().get(&timer).cloned();
                if let Some(timer) = timer {
                    timer.cancel();
                }
            }
            Action::Stop => self.event_loop.stop(),
        }
    }
}

trial!(
    one_tick_after_another,
    80,
    "Each tick sleeps for as long as it may and then runs the entries that were ready and all that it finds, in asyncio's order."
);
fn one_tick_after_another(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..24).map(|number| Verb::random(number, &mut random)));
    let clock = VirtualClock::new();
    let errand = Errand::default();
    let event_loop = EventLoop::with_clock(SayingClock(clock.clone(), t, Rc::clone(&errand)))?;
    let (timers, readers) = (RefCell::default(), Cell::new(1));
    let world = Rc::new(World { t, event_loop, clock, pipe: pipe()?, timers, readers });
    for verb in verbs {
        match verb {
            Verb::CallSoon(number, action) => world.call_soon(number, action),
            Verb::CallLater(number, delay, action) => world.call_later(number, delay, action),
            Verb::AddReader(action) => world.add_reader(action),
            Verb::Write => drop(write(&world.pipe.1, b"!")?),
            Verb::Send(number) => world.send(number),
            Verb::AddReaderInTheClock(action) => {
                let world = Rc::clone(&world);
                errand.replace(Some(Box::new(move || world.add_reader(action))));
            }
            Verb::Tick => {
                say!(t, "one tick");
                world.event_loop.stop();
                world.event_loop.run_forever()?;
            }
            Verb::RunFor(duration) => {
                say!(t, "a run of {duration:?}");
                let stopper = world.event_loop.clone();
                world.event_loop.call_later(duration, move || stopper.stop());
                world.event_loop.run_forever()?;
            }
        }
    }
    say!(t, "one tick");
    world.event_loop.stop();
    world.event_loop.run_forever()?;
    world.timers.take();
    errand.take();
    world.event_loop.close()?;
    say!(t, "closed");
    Ok(())
}
