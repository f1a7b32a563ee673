//! Plays a program on our loop. `player.py` does the same, line by line.

use std::cell::{Cell, RefCell};
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Duration;

use step01_fd::{Read, pipe, read, write};
use step05_selfpipe::raise;
use step07_full_loop::{
    Error, EventLoop, Future, Handle, LoopError, Result, SIGUSR1, SIGUSR2, Task, TimerHandle,
    VirtualClock, sleep,
};

use crate::program::{Action, FUTURES, PIPES, Policy, Program, SIGNALS};

const NUMBERS: [i32; SIGNALS] = [SIGUSR1, SIGUSR2];

struct Stage {
    program: Program,
    event_loop: EventLoop,
    tasks: RefCell<Vec<Option<Task<usize>>>>,
    futures: Vec<Future<usize>>,
    pipes: Vec<(OwnedFd, OwnedFd)>,
    handles: RefCell<Vec<Scheduled>>,
    /// Signals that were raised, and whose handlers haven't run.
    raised: [Cell<bool>; SIGNALS],
    /// Keeps deadlines apart.
    timers: Cell<u64>,
    lines: RefCell<Vec<String>>,
}

thread_local! {
    static ON_STAGE: RefCell<Option<Rc<Stage>>> = const { RefCell::new(None) };
}

/// Says a line on the stage that's played on this thread.
fn say_on_stage(line: &str) {
    ON_STAGE.with_borrow(|stage| stage.iter().for_each(|stage| stage.say(line)));
}

enum Scheduled {
    Soon(Handle),
    Later(TimerHandle),
}

/// Returns the lines that the program prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let stage = Rc::new(Stage {
        program: program.clone(),
        event_loop: event_loop.clone(),
        tasks: RefCell::new(program.scripts.iter().map(|_| None).collect()),
        futures: (0..FUTURES).map(|_| event_loop.create_future()).collect(),
        pipes: (0..PIPES).map(|_| pipe().unwrap()).collect(),
        handles: RefCell::default(),
        raised: Default::default(),
        timers: Cell::new(0),
        lines: RefCell::default(),
    });
    let reported = Rc::clone(&stage);
    event_loop.set_exception_handler(move |context| {
        if context.handle.is_some() {
            reported.say("a callback has failed");
        }
    });
    for (number, signal) in NUMBERS.into_iter().enumerate() {
        let inner = Rc::clone(&stage);
        let handler = move || {
            inner.raised[number].set(false);
            inner.say(&format!("signal {number}"));
        };
        event_loop.add_signal_handler(signal, handler).unwrap();
    }
    ON_STAGE.set(Some(Rc::clone(&stage)));
    let main = event_loop.create_task(direct(Rc::clone(&stage)));
    loop {
        match event_loop.run_until_complete(main.clone()) {
            Err(LoopError::StoppedEarly) => stage.say("stopped"),
            ended => break ended.unwrap(),
        }
    }
    event_loop.close().unwrap();
    ON_STAGE.take();
    stage.lines.take()
}

/// Starts the first task, waits until all is quiet, then ends the tasks that are left.
async fn direct(stage: Rc<Stage>) -> Result<()> {
    stage.spawn(0);
    sleep(Duration::from_secs(1000)).await?;
    for round in 0..10 {
        for number in 0..stage.program.scripts.len() {
            let task = stage.tasks.borrow()[number].clone();
            if let Some(task) = task.filter(|task| !task.done()) {
                stage.say(&format!("round {round}: {number} is left, cancel {}", task.cancel()));
            }
        }
        sleep(Duration::from_secs(1000)).await?;
    }
    for number in 0..stage.program.scripts.len() {
        if let Some(task) = &stage.tasks.borrow()[number] {
            let (done, cancelled, requests) = (task.done(), task.cancelled(), task.cancelling());
            stage.say(&format!("{number}: done {done}, cancelled {cancelled}, asked {requests}"));
        }
    }
    Ok(())
}

impl Stage {
    fn say(&self, line: &str) {
        self.lines.borrow_mut().push(line.to_owned());
    }

    /// Starts a task, unless it was started before.
    fn spawn(self: &Rc<Self>, number: usize) {
        if self.tasks.borrow()[number].is_none() {
            let task = self.event_loop.create_task(perform(Rc::clone(self), number));
            self.tasks.borrow_mut()[number] = Some(task);
        }
    }

    /// Returns a delay that differs from all others, except for zero. Sums of two differ, too.
    fn delay(&self, milliseconds: u64) -> Duration {
        if milliseconds == 0 {
            return Duration::ZERO;
        }
        self.timers.set(self.timers.get() + 1);
        let scattered = self.timers.get() * 618_033 % 999_983;
        Duration::from_millis(milliseconds) + Duration::from_nanos(scattered)
    }
}

async fn perform(stage: Rc<Stage>, number: usize) -> Result<usize> {
    let script = stage.program.scripts[number].clone();
    for (at, action) in script.actions.into_iter().enumerate() {
        match act(&stage, number, at, action).await {
            Ok(()) => stage.say(&format!("{number}.{at} {action:?}")),
            Err(Error::Cancelled(_)) => {
                stage.say(&format!("{number}.{at} {action:?} is cancelled"));
                match script.policy {
                    Policy::Pass => return Err(Error::cancelled()),
                    Policy::CleanUp => {
                        sleep(stage.delay(1)).await?;
                        stage.say(&format!("{number}.{at} cleaned up"));
                        return Err(Error::cancelled());
                    }
                    Policy::Swallow => {}
                }
            }
            Err(error) => stage.say(&format!("{number}.{at} failed: {error}")),
        }
    }
    Ok(number)
}

async fn act(stage: &Rc<Stage>, number: usize, at: usize, action: Action) -> Result<()> {
    match action {
        Action::Say => {}
        Action::Sleep(time) => sleep(stage.delay(time)).await?,
        Action::Spawn(task) => stage.spawn(task),
        Action::Cancel(task) => {
            let task = stage.tasks.borrow()[task].clone();
            let answer = task.map(|task| task.cancel());
            stage.say(&format!("{number}.{at} cancel: {answer:?}"));
        }
        // Rings of joins are left out: cancelling one ends CPython's recursion limit, not the wait.
        Action::Join(task) if task <= number => {}
        Action::Join(task) => {
            let task = stage.tasks.borrow()[task].clone();
            if let Some(task) = task {
                let result = task.await?;
                stage.say(&format!("{number}.{at} joined {result}"));
            }
        }
        Action::Soon => {
            let inner = Rc::clone(stage);
            let call = move || inner.say(&format!("{number}.{at} called soon"));
            let handle = stage.event_loop.call_soon(call);
            stage.handles.borrow_mut().push(Scheduled::Soon(handle));
        }
        Action::Later(time) => {
            let inner = Rc::clone(stage);
            let delay = stage.delay(time.max(1));
            let call = move || inner.say(&format!("{number}.{at} called later"));
            let handle = stage.event_loop.call_later(delay, call);
            stage.handles.borrow_mut().push(Scheduled::Later(handle));
        }
        Action::Finish(future) => {
            let finished = stage.futures[future].set_result(number).is_ok();
            stage.say(&format!("{number}.{at} finished: {finished}"));
        }
        Action::Wait(future) => {
            let result = stage.futures[future].clone().await?;
            stage.say(&format!("{number}.{at} got {result}"));
        }
        of_the_loop => act_on_the_loop(stage, number, at, of_the_loop)?,
    }
    Ok(())
}

/// The actions that need no await.
fn act_on_the_loop(stage: &Rc<Stage>, number: usize, at: usize, action: Action) -> Result<()> {
    let (inner, event_loop) = (Rc::clone(stage), &stage.event_loop);
    match action {
        Action::CancelHandle(handle) => match stage.handles.borrow().get(handle) {
            Some(Scheduled::Soon(handle)) => handle.cancel(),
            Some(Scheduled::Later(handle)) => handle.cancel(),
            None => {}
        },
        Action::Fail => {
            event_loop.call_soon(|| panic!("as it should"));
        }
        Action::Threadsafe => {
            // A sent callback has to be Send, and only the stage's thread calls it.
            let line = format!("{number}.{at} called threadsafe");
            event_loop.call_soon_threadsafe(move || say_on_stage(&line))?;
        }
        Action::AddReader(pipe) => {
            event_loop.add_reader(&stage.pipes[pipe].0, move || {
                if let Ok(Read::Bytes(count)) = read(&inner.pipes[pipe].0, &mut [0; 16]) {
                    inner.say(&format!("pipe {pipe}: {count}, for {number}.{at}"));
                }
            })?;
        }
        Action::RemoveReader(pipe) => {
            let removed = event_loop.remove_reader(&stage.pipes[pipe].0)?;
            stage.say(&format!("{number}.{at} removed: {removed}"));
        }
        Action::AddWriter(pipe) => {
            event_loop.add_writer(&stage.pipes[pipe].1, move || {
                let removed = inner.event_loop.remove_writer(&inner.pipes[pipe].1);
                inner.say(&format!("room in pipe {pipe}, for {number}.{at}: {}", removed.is_ok()));
            })?;
        }
        Action::Write(pipe) => {
            write(&stage.pipes[pipe].1, b"!")?;
        }
        Action::Raise(signal) => {
            if !stage.raised[signal].replace(true) {
                raise(NUMBERS[signal])?;
            }
        }
        Action::Stop => event_loop.stop(),
        of_a_task => unreachable!("{of_a_task:?} isn't the loop's"),
    }
    Ok(())
}
