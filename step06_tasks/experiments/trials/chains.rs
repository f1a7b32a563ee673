//! Trials of long chains of tasks that wait for each other, and of circles.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::thread;

use anyhow::anyhow;
use scene::{Program, Transcript, say, trial};
use step06_tasks::{Error, Future, ReadyQueue, Task};

/// The ways in which a chain can end.
#[derive(Debug, Clone, Copy)]
enum End {
    FutureIsSet,
    OutermostIsCancelled,
    FutureIsCancelled,
    Dropped,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::FutureIsSet => "the future is set",
            End::OutermostIsCancelled => "the outermost task is cancelled",
            End::FutureIsCancelled => "the future is cancelled",
            End::Dropped => "the queue is cleared",
        })
    }
}

trial!(
    chains_of_tasks,
    1,
    "A request goes along a chain of any length, and each task in the chain gets it once."
);
fn chains_of_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    use End::{Dropped, FutureIsCancelled, FutureIsSet, OutermostIsCancelled};
    let ends = [FutureIsSet, OutermostIsCancelled, FutureIsCancelled, Dropped];
    let short = [1, 2, 3, 40].into_iter().flat_map(|length| ends.map(|end| (length, end)));
    for (length, end) in program.verbs(short.chain([(LONG, OutermostIsCancelled)])) {
        say!(
            t,
            "{length} tasks: the first waits for a future, and each of the others for the task before it; {end}"
        );
        let thread = thread::Builder::new().stack_size(STACK);
        let played = thread.spawn(move || play_chain(t, length, end))?.join();
        played.map_err(|_| anyhow!("the thread panicked"))??;
    }
    Ok(())
}

/// Enough for a frame per task to overflow this stack. With 100,000 tasks it would overflow the
/// usual one, but a trial has no time for that.
const LONG: usize = 2000;
const STACK: usize = 128 * 1024;

fn play_chain(t: Transcript, length: usize, end: End) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let future: Future<u8> = queue.create_future();
    let mut tasks = vec![queue.create_task(future.clone())];
    for inner in 1..length {
        tasks.push(queue.create_task(tasks[inner - 1].clone()));
    }
    queue.run_ready();
    let outermost = tasks[length - 1].clone();
    match end {
        End::FutureIsSet => future.set_result(7)?,
        End::OutermostIsCancelled => say!(t, "  cancel_with: {}", outermost.cancel_with("enough")),
        End::FutureIsCancelled => say!(t, "  cancel: {}", future.cancel()),
        End::Dropped => {}
    }
    if let End::Dropped = end {
        queue.clear();
        drop(tasks);
        say!(t, "  all are dropped; {} tasks are left", queue.task_count());
        return Ok(());
    }
    queue.run_until_idle()?;
    let counted = tasks.iter().filter(|task| task.cancelling() == 1).count();
    let ended = tasks.iter().filter(|task| task.done()).count();
    say!(t, "  tasks asked to end once: {counted}, ended: {ended}; the future: {future:?}");
    say!(t, "  the outermost task: {:?}", outermost.result());
    Ok(())
}

trial!(
    circles_of_tasks,
    1,
    "Tasks that wait for each other in a circle can be cancelled, and then all of them end."
);
fn circles_of_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let all = [2, 3, 50].into_iter().flat_map(|length| {
        let of_the_circle = [0, 1, length - 1].map(Some);
        of_the_circle.into_iter().chain([None]).map(move |at| (length, at))
    });
    for (length, at) in program.verbs(all) {
        match at {
            Some(at) => say!(t, "a circle of {length} tasks, of which task {at} is cancelled"),
            None => say!(
                t,
                "a circle of {length} tasks; a task that awaits task 0 from outside is cancelled"
            ),
        }
        play_circle(t, length, at)?;
    }
    Ok(())
}

/// Cancels task `at` of the circle, or a task outside that awaits the circle's first task.
fn play_circle(t: Transcript, length: usize, at: Option<usize>) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let log = Rc::new(RefCell::new(Vec::new()));
    let last: Future<Task<usize>> = queue.create_future();
    let mut tasks: Vec<Task<usize>> = Vec::new();
    for number in 0..length {
        let (before, last, log) = (tasks.last().cloned(), last.clone(), Rc::clone(&log));
        tasks.push(queue.create_task(async move {
            let inner = match before {
                Some(before) => before,
                None => last.await?,
            };
            let outcome = inner.await;
            log.borrow_mut().push(number);
            outcome.map(|_| number)
        }));
    }
    last.set_result(tasks[length - 1].clone())?;
    if at.is_none() {
        tasks.push(queue.create_task(tasks[0].clone()));
    }
    queue.run_until_idle()?;
    say!(t, "  cancel(): {}", tasks[at.unwrap_or(length)].cancel());
    queue.run_until_idle()?;
    let asked = tasks.iter().filter(|task| task.cancelling() > 0).count();
    let ended = tasks.iter().filter(|task| matches!(task.result(), Err(Error::Cancelled(_))));
    say!(t, "  tasks asked to end: {asked}, cancelled: {}", ended.count());
    let log = log.borrow();
    say!(t, "  the first task to end: {:?}, the last: {:?}", log.first(), log.last());
    queue.clear();
    Ok(())
}
