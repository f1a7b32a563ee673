//! A deadline, and what becomes of the cancellation that it causes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use step04_timers::Time;
use step06_tasks::{AnyTask, Error, Handle, Result, current_task};

use crate::TimerHandle;
use crate::event_loop::get_running_loop;
use crate::waiting::TimeoutError;

#[derive(Debug)]
pub(crate) struct Deadline {
    when: Cell<Option<Time>>,
    state: Cell<State>,
    /// The task that runs the block, while it does.
    task: RefCell<Option<AnyTask>>,
    alarm: RefCell<Option<Alarm>>,
}

// ANCHOR: state
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The block hasn't begun. Next: `Active`.
    Created,
    /// The block runs, and the alarm is set, if there's a deadline. Next: `Expiring` or `Finished`.
    Active,
    /// The time was up, and the task was cancelled, but the block hasn't ended yet. Next: `Expired`.
    Expiring,
    /// The block has ended, and the time was up before.
    Expired,
    /// The block has ended in time.
    Finished,
}
// ANCHOR_END: state

/// What cancels the task. A deadline that's over already needs no timer.
#[derive(Debug)]
enum Alarm {
    Soon(Handle),
    At(TimerHandle),
}

impl Deadline {
    pub(crate) fn new(when: Option<Time>) -> Self {
        Deadline {
            when: Cell::new(when),
            state: Cell::new(State::Created),
            task: RefCell::default(),
            alarm: RefCell::default(),
        }
    }

    pub(crate) fn when(&self) -> Option<Time> {
        self.when.get()
    }

    pub(crate) fn expired(&self) -> bool {
        matches!(self.state.get(), State::Expiring | State::Expired)
    }

    /// Begins the block; asyncio's `__aenter__`.
    pub(crate) fn enter(self: &Rc<Self>) -> Result<Entered> {
        if self.state.get() != State::Created {
            return Err(Error::InvalidState("Timeout has already been entered"));
        }
        let task = current_task();
        let task = task.ok_or(Error::InvalidState("Timeout should be used inside a task"))?;
        self.task.replace(Some(task.clone()));
        self.state.set(State::Active);
        let entered = Entered { deadline: Rc::clone(self), cancelling: task.cancelling(), task };
        self.reschedule(self.when())?;
        Ok(entered)
    }

    pub(crate) fn reschedule(self: &Rc<Self>, when: Option<Time>) -> Result<()> {
        self.check_is_active()?;
        self.when.set(when);
        self.cancel_alarm();
        if let Some(when) = when {
            let alarm = self.alarm(when)?;
            self.alarm.replace(Some(alarm));
        }
        Ok(())
    }

    fn check_is_active(&self) -> Result<()> {
        Err(Error::InvalidState(match self.state.get() {
            State::Active => return Ok(()),
            State::Created => "Timeout has not been entered",
            State::Expiring => "Cannot change state of expiring Timeout",
            State::Expired => "Cannot change state of expired Timeout",
            State::Finished => "Cannot change state of finished Timeout",
        }))
    }

    fn alarm(self: &Rc<Self>, when: Time) -> Result<Alarm> {
        let event_loop = get_running_loop()?;
        // Weak, because the deadline holds the alarm.
        let weak = Rc::downgrade(self);
        let expire = move || {
            if let Some(deadline) = weak.upgrade() {
                deadline.expire();
            }
        };
        Ok(if when <= event_loop.time() {
            Alarm::Soon(event_loop.call_soon(expire))
        } else {
            Alarm::At(event_loop.call_at(when, expire))
        })
    }

    /// Cancels the task; asyncio's `_on_timeout`.
    fn expire(&self) {
        let task = self.task.borrow().clone();
        if let Some(task) = task {
            self.state.set(State::Expiring);
            task.cancel();
        }
    }

    fn cancel_alarm(&self) {
        let alarm = self.alarm.take();
        match alarm {
            Some(Alarm::Soon(handle)) => handle.cancel(),
            Some(Alarm::At(timer)) => timer.cancel(),
            None => {}
        }
    }
}

// ANCHOR: entered
/// A guard: the block runs. If it's dropped in the middle, the deadline ends with it.
pub(crate) struct Entered {
    deadline: Rc<Deadline>,
    task: AnyTask,
    /// The number of requests to end that the task had before.
    cancelling: u32,
}
// ANCHOR_END: entered

impl Entered {
    /// Ends the block; asyncio's `__aexit__`. A cancellation becomes a `TimeoutError` if the deadline
    /// has caused it, and nothing else has asked the task to end since the block began.
    pub(crate) fn exit<T>(self, outcome: Result<T>) -> Result<T> {
        let is_last = self.end_block();
        match outcome {
            Err(error) if error.is_cancelled() && is_last => Err(TimeoutError.into()),
            outcome => outcome,
        }
    }

    // ANCHOR: end_block
    /// Ends the block, unless it has ended before: stops the alarm, lets go of the task, and leaves the
    /// state that [`State`] says.
    ///
    /// If the time was up, takes the deadline's request back, once. Returns true if no other request
    /// is left then that has come since the block began. Returns false in all other cases.
    ///
    /// The block can be dropped by anybody, at any moment: by a panic, by a callback, and even after its
    /// task has ended. All this is the same then.
    fn end_block(&self) -> bool {
        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring => {
                self.deadline.state.set(State::Expired);
                self.task.uncancel() <= self.cancelling
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            State::Created | State::Expired | State::Finished => false,
        }
    }
    // ANCHOR_END: end_block
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.end_block();
    }
}
