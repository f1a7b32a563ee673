//! Scenes of tasks: their results, the number of their polls, and the wakes that they may get.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::thread;

use from_scratch::{JoinHandle, block_on, spawn};
use scene::{Transcript, say, scene};

use crate::waiting::{Gate, times, yield_now, yield_woken};
use crate::watch::{self, watched};

scene!(a_value_and_a_task, "What does block_on return, and what does a handle return?");
/// `block_on` returns its future's output. That future can borrow, since it's gone by the time
/// `block_on` returns. A task can't borrow local values, but it can share values that aren't
/// `Send`. An awaited handle returns the task's value, wrapped in `Ok`.
fn a_value_and_a_task(t: Transcript) -> anyhow::Result<()> {
    let name = String::from("main");
    let borrowed = &name;
    say!(t, "block_on returns {}", block_on(async { borrowed.len() }));
    let shared = Rc::new(RefCell::new(Vec::new()));
    let for_the_task = Rc::clone(&shared);
    let returned = block_on(async move {
        let task = spawn(async move {
            for_the_task.borrow_mut().push("the task runs");
            yield_now().await;
            for_the_task.borrow_mut().push("the task ends");
            String::from("a value")
        });
        task.await
    });
    for line in shared.take() {
        say!(t, "{line}");
    }
    say!(t, "the handle returns {}", described(&returned));
    Ok(())
}

fn described<T: std::fmt::Debug>(returned: &std::thread::Result<T>) -> String {
    match returned {
        Ok(value) => format!("Ok({value:?})"),
        Err(_) => "Err".to_owned(),
    }
}

scene!(
    how_often_a_task_is_polled,
    "A task gives up its turn three times, and block_on's future waits for the task. How often is each of them polled?"
);
/// Each of the two is polled once at first, and once for each wake: the task four times, since it
/// wakes itself three times. The future of `block_on` counts as a task. It's polled twice, once at
/// first and once when the handle has woken it, no matter what the other tasks do in the meantime.
fn how_often_a_task_is_polled(t: Transcript) -> anyhow::Result<()> {
    watch::begin();
    block_on(watched("main", async {
        let task = spawn(watched("the task", async {
            for _ in 0..3 {
                yield_now().await;
            }
        }));
        let _ = task.await;
    }));
    say!(t, "main is polled {}", times(watch::polls("main")));
    say!(t, "the task is polled {}", times(watch::polls("the task")));
    say_complaints(t);
    Ok(())
}

fn say_complaints(t: Transcript) {
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
}

scene!(
    six_take_turns,
    "Six tasks are woken together, and each gives up its turn twenty times. How do they take turns?"
);
/// No task has two turns while another woken task has had none. The loop chooses which task goes
/// first.
fn six_take_turns(t: Transcript) -> anyhow::Result<()> {
    watch::begin();
    block_on(watched("main", async {
        // The second round has six new tasks, which a loop may know by different numbers.
        for _ in 0..2 {
            take_turns().await;
            for name in SIX {
                watch::forget(name);
            }
        }
    }));
    let complaints = watch::complaints();
    if complaints.is_empty() {
        say!(t, "all six take turns");
    }
    for complaint in complaints {
        say!(t, "{complaint}");
    }
    Ok(())
}

const SIX: [&str; 6] = ["task 1", "task 2", "task 3", "task 4", "task 5", "task 6"];

async fn take_turns() {
    let (gate, all_wait) = (Gate::default(), Gate::default());
    let tasks = SIX.map(|name| {
        let (gate, all_wait) = (gate.clone(), all_wait.clone());
        spawn(watched(name, async move {
            if gate.waiting() + 1 == SIX.len() {
                all_wait.open();
            }
            gate.passed().await;
            for _ in 0..20 {
                yield_now().await;
            }
        }))
    });
    all_wait.passed().await;
    gate.open();
    for task in tasks {
        let _ = task.await;
    }
}

scene!(handles_of_every_kind, "What can you do with a handle?");
/// A handle can be awaited long after the task has ended, in a different order than the tasks were
/// spawned, and by another task. The task that polled the handle last is woken. A task runs on
/// after its handle is dropped.
fn handles_of_every_kind(t: Transcript) -> anyhow::Result<()> {
    watch::begin();
    block_on(watched("main", async move {
        let early = spawn(watched("early", async { 1 }));
        let late = spawn(watched("late", async {
            yield_woken(1).await;
            yield_woken(1).await;
            2
        }));
        say!(t, "the later task, awaited first: {}", described(&late.await));
        say!(t, "the earlier task, which has ended: {}", described(&early.await));
        let third = spawn(watched("third", async { 3 }));
        let other = spawn(watched("other", third_and_one(third)));
        say!(t, "a task awaited by another task: {}", described(&other.await));
        let mut fourth = Box::pin(spawn(watched("fourth", async {
            yield_woken(1).await;
            4
        })));
        // Called by its path, since a handle may also have a method named `poll`.
        let mut context = Context::from_waker(Waker::noop());
        let polled = Future::poll(fourth.as_mut(), &mut context);
        anyhow::ensure!(polled.is_pending(), "the task had ended before it was awaited");
        let owner = spawn(watched("owner", fourth));
        say!(
            t,
            "a task polled by one task and then awaited by another: {}",
            described(&owner.await.flatten())
        );
        let gate = Gate::default();
        let opens = gate.clone();
        drop(spawn(watched("detached", async move {
            yield_now().await;
            opens.open();
        })));
        gate.passed().await;
        say!(t, "a task has run on after its handle was dropped");
        anyhow::Ok(())
    }))?;
    say_complaints(t);
    Ok(())
}

async fn third_and_one(third: JoinHandle<i32>) -> i32 {
    third.await.map_or(0, |third| third + 1)
}

scene!(wakes_of_every_kind, "Which wakes lead to a poll?");
/// No matter how often a task is woken before its next poll, the loop polls it once. It makes no
/// difference which code wakes the task, through which clone of the waker, or whether that clone is
/// used up. Dropping a waker wakes no task, and using a waker after the task's end does nothing.
fn wakes_of_every_kind(t: Transcript) -> anyhow::Result<()> {
    watch::begin();
    let wakers = Rc::new(RefCell::new(Vec::<Waker>::new()));
    let kept = Rc::clone(&wakers);
    let is_over = Rc::new(Cell::new(false));
    block_on(watched("main", async move {
        let (stores, ends) = (Rc::clone(&kept), Rc::clone(&is_over));
        let task = spawn(watched("the task", async move {
            poll_fn(|context| {
                for _ in 0..4 {
                    stores.borrow_mut().push(context.waker().clone());
                }
                if ends.get() { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }));
        let polls = || watch::polls("the task");
        settle().await;
        say!(t, "polls at first: {}", polls());
        drop(kept.borrow_mut().pop());
        settle().await;
        say!(t, "polls after a waker is dropped: {}", polls());
        wake_by_value(&kept);
        settle().await;
        say!(t, "polls after a waker is used up: {}", polls());
        let clones = kept.borrow().clone();
        clones.iter().for_each(Waker::wake_by_ref);
        clones.into_iter().for_each(Waker::wake);
        settle().await;
        say!(t, "polls after all wakers wake, twice each: {}", polls());
        is_over.set(true);
        wake_by_value(&kept);
        let _ = task.await;
        say!(t, "polls after the task has ended: {}", polls());
        let late = kept.take();
        late.iter().for_each(Waker::wake_by_ref);
        settle().await;
        late.into_iter().for_each(Waker::wake);
        settle().await;
        say!(t, "polls after a wake that's too late: {}", polls());
    }));
    say_complaints(t);
    Ok(())
}

fn wake_by_value(wakers: &RefCell<Vec<Waker>>) {
    let waker = wakers.borrow_mut().pop();
    waker.into_iter().for_each(Waker::wake);
}

/// Lets every other task have its turn.
async fn settle() {
    for _ in 0..3 {
        yield_now().await;
    }
}

scene!(
    a_chain_of_tasks,
    "Two thousand tasks each spawn the next task and await it. Do all of them end?"
);
/// The chain ends: the loop polls each task by itself, not from within the task that waits for it,
/// so no stack grows. The stack here is small.
fn a_chain_of_tasks(t: Transcript) -> anyhow::Result<()> {
    let run = || block_on(async { spawn(link(2000)).await.unwrap_or(0) });
    let length = thread::Builder::new().stack_size(STACK).spawn(run)?.join();
    say!(t, "{}", described(&length));
    Ok(())
}

/// The stack's size: enough for any loop, but not for two thousand nested polls.
const STACK: usize = 256 * 1024;

fn link(left: usize) -> std::pin::Pin<Box<dyn Future<Output = usize>>> {
    Box::pin(async move {
        if left == 0 {
            return 0;
        }
        spawn(link(left - 1)).await.map_or(0, |length| length + 1)
    })
}

scene!(
    two_thousand_waits,
    "block_on's future waits for two thousand tasks, one after the other. How often is it polled?"
);
/// `block_on`'s future is polled once at first, and once for each task. A fault in one turn out of
/// a thousand shows up here.
fn two_thousand_waits(t: Transcript) -> anyhow::Result<()> {
    const MANY: usize = 2000;
    watch::begin();
    block_on(watched("main", async {
        for _ in 0..MANY {
            let _ = spawn(watched("one of many", yields(4))).await;
            watch::forget("one of many");
        }
    }));
    let is_right = watch::polls("main") <= MANY + 1;
    say!(
        t,
        "{}",
        if is_right { "main is polled only when it's woken" } else { "main is polled too often" }
    );
    say_complaints(t);
    Ok(())
}

async fn yields(count: usize) {
    for _ in 0..count {
        yield_now().await;
    }
}
