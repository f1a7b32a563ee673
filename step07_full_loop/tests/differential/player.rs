//! Plays a program on our loop. `player.py` does the same, line by line.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use step07_full_loop::{Error, EventLoop, Future, Result, Task, VirtualClock, sleep};

use crate::program::{Action, FUTURES, Policy, Program};

struct Stage {
    program: Program,
    event_loop: EventLoop,
    tasks: RefCell<Vec<Option<Task<usize>>>>,
    futures: Vec<Future<usize>>,
    /// Keeps deadlines apart.
    timers: Cell<u64>,
    lines: RefCell<Vec<String>>,
}

/// What the program prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    event_loop.set_exception_handler(|_| {});
    let stage = Rc::new(Stage {
        program: program.clone(),
        event_loop: event_loop.clone(),
        tasks: RefCell::new(program.scripts.iter().map(|_| None).collect()),
        futures: (0..FUTURES).map(|_| event_loop.create_future()).collect(),
        timers: Cell::new(0),
        lines: RefCell::default(),
    });
    let main = direct(Rc::clone(&stage));
    event_loop.run_until_complete(main).unwrap();
    event_loop.close().unwrap();
    stage.lines.take()
}

/// Starts the first task, waits until all is quiet, then ends whoever is left.
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

    /// A delay like no other, but for zero; nor shall the sums of two be equal.
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
            stage.event_loop.call_soon(move || inner.say(&format!("{number}.{at} called soon")));
        }
        Action::Later(time) => {
            let inner = Rc::clone(stage);
            let delay = stage.delay(time.max(1));
            stage
                .event_loop
                .call_later(delay, move || inner.say(&format!("{number}.{at} called later")));
        }
        Action::Finish(future) => {
            let finished = stage.futures[future].set_result(number).is_ok();
            stage.say(&format!("{number}.{at} finished: {finished}"));
        }
        Action::Wait(future) => {
            let result = stage.futures[future].clone().await?;
            stage.say(&format!("{number}.{at} got {result}"));
        }
    }
    Ok(())
}
