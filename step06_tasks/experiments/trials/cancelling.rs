//! Trials of `cancel` and `deliver`: tasks that are cancelled while they wait, and then by each
//! other, by themselves, and before they've begun.

use std::cell::{Cell, RefCell};
use std::future::{Future as _, pending, poll_fn};
use std::pin::Pin;
use std::rc::Rc;

use scene::{Program, Transcript, say, trial};
use step06_tasks::{CancelOverride, ReadyQueue, Task, current_task};

use super::ops::{Mix, Op};
use super::script::play;

trial!(
    cancelled_while_they_wait,
    200,
    "If a task is asked to end while it waits, the request is counted and passed on to the target, if the wait has one."
);
fn cancelled_while_they_wait(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const MIX: Mix = Mix {
        length: 20,
        of_a_task: &[
            Op::Yield,
            Op::AwaitFuture(0),
            Op::AwaitFuture(0),
            Op::AwaitLeaf,
            Op::AwaitForeign,
            Op::AwaitTask(0),
            Op::AwaitTask(0),
            Op::GiveUpFuture(0),
            Op::GiveUpTask(0),
            Op::KeepFuture(0),
            Op::SetFuture(0),
            Op::Fail,
        ],
        of_the_program: &[
            Op::Cancel(0),
            Op::CancelWith(0, 0),
            Op::CancelWith(0, 0),
            Op::Uncancel(0),
            Op::SetFuture(0),
            Op::RunReady,
            Op::RunReady,
        ],
        every: 4,
        // What a task waits for when it's asked can be a future that is set by then.
        at_the_end: &[(None, Op::SetFuture(0)), (None, Op::CancelAll), (None, Op::RunReady)],
    };
    if program.number() == 0 {
        let queue = ReadyQueue::new()?;
        queue.set_exception_handler(|_| {});
        let task: Task<()> = queue.create_task(pending());
        let (asked, again) = (task.cancel(), task.cancel_with("again"));
        say!(
            t,
            "a task that hasn't begun: cancel() = {asked}, cancel_with() = {again}; the task is done: {}",
            task.done()
        );
        say!(t, "requests to end: {}; the queue: {queue:?}", task.cancelling());
        queue.clear();
        let asks_itself = queue.create_task(async move {
            let asked = current_task().is_some_and(|task| task.cancel());
            say!(t, "a task that runs: cancel() = {asked}");
            Ok(())
        });
        queue.run_ready();
        say!(
            t,
            "requests to end: {}; its end: {:?}",
            asks_itself.cancelling(),
            asks_itself.result()
        );
    }
    // All tasks have begun.
    let verbs = [(None, Op::RunReady)].into_iter().chain(MIX.verbs(program)).collect();
    play(t, verbs, ask)
}

fn ask(task: &Task<usize>) -> String {
    format!("cancel() = {}", task.cancel())
}

trial!(
    cancelled_in_any_order,
    200,
    "Whenever an unfinished task is asked to end, the request is counted and reaches the task or the target of its wait."
);
fn cancelled_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const MIX: Mix = Mix {
        length: 22,
        of_a_task: &[
            Op::Yield,
            Op::AwaitFuture(0),
            Op::AwaitFuture(0),
            Op::AwaitLeaf,
            Op::AwaitForeign,
            Op::AwaitTask(0),
            Op::AwaitTask(0),
            Op::GiveUpFuture(0),
            Op::GiveUpTask(0),
            Op::KeepFuture(0),
            Op::SetFuture(0),
            Op::Cancel(0),
            Op::CancelWith(0, 0),
            Op::Uncancel(0),
            Op::Fail,
        ],
        of_the_program: &[
            Op::Cancel(0),
            Op::CancelWith(0, 0),
            Op::CancelWith(0, 0),
            Op::Uncancel(0),
            Op::SetFuture(0),
            Op::RunReady,
            Op::RunReady,
            Op::RunReady,
        ],
        every: 4,
        // C passes its own request on to A, which ignores it.
        at_the_end: &[
            (Some(0), Op::AwaitLeaf),
            (Some(2), Op::Cancel(2)),
            (Some(2), Op::AwaitTask(0)),
            // B and D poll a future, keep it, and wait for something else when they're asked.
            (Some(1), Op::KeepFuture(0)),
            (Some(1), Op::SetFuture(0)),
            (Some(1), Op::Cancel(1)),
            (Some(1), Op::AwaitLeaf),
            (Some(3), Op::KeepFuture(1)),
            (Some(3), Op::Cancel(3)),
            (Some(3), Op::AwaitLeaf),
            (None, Op::CancelAll),
            (None, Op::RunReady),
        ],
    };
    // Last, so that a random program shows a mistake that any of them can show.
    if program.number() == 199 {
        asked_again_meanwhile(t)?;
        woken_and_asked_in_its_step(t)?;
    }
    play(t, MIX.verbs(program), ask)
}

/// Asks its task to end once more when the future that has this override is cancelled.
struct AsksAgain(Rc<RefCell<Option<Task<()>>>>);

impl CancelOverride for AsksAgain {
    fn can_cancel(&self) -> bool {
        true
    }

    fn cancel(&self, _message: Option<&str>) {
        if let Some(task) = self.0.take() {
            task.cancel_with("the second request");
        }
    }
}

/// A task asks itself to end and then waits for a future. When that future is cancelled, it asks
/// the task once more.
fn asked_again_meanwhile(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let asked = Rc::new(RefCell::new(None));
    let future = queue.create_future_with::<()>(AsksAgain(Rc::clone(&asked)));
    let task = queue.create_task(async move {
        if let Some(task) = current_task() {
            task.cancel_with("the first request");
        }
        future.await
    });
    asked.replace(Some(task.clone()));
    queue.run_until_idle()?;
    say!(
        t,
        "a task is asked a second time while its request is passed on: done = {}, {:?}",
        task.done(),
        task.result()
    );
    queue.clear();
    Ok(())
}

/// A task is woken in its step, asks itself to end, and then waits for a future.
fn woken_and_asked_in_its_step(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let _entered = queue.enter();
    let (future, is_asked) = (queue.create_future::<()>(), Cell::new(false));
    let mut awaited = future.clone();
    let task = queue.create_task(poll_fn(move |context| {
        if !is_asked.replace(true) {
            context.waker().wake_by_ref();
            if let Some(task) = current_task() {
                task.cancel();
            }
        }
        Pin::new(&mut awaited).poll(context)
    }));
    queue.run_ready();
    say!(
        t,
        "a task is woken and asked to end in its step, and waits for a future; the future is cancelled: {}",
        future.cancelled()
    );
    queue.run_until_idle()?;
    say!(t, "  the task's end: {:?}", task.result());
    queue.clear();
    Ok(())
}
