//! Wakers: what they save, and how many steps their wake-ups make.

use std::cell::{Cell, RefCell};
use std::future::{Future as Coroutine, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::thread;

use anyhow::Context as _;
use scene::{Transcript, say, scene};
use step06_tasks::{Drain, ReadyQueue, Result};

scene!(
    polled_for_nothing,
    "Three coroutines wait for rounds 10, 100 and 1000. One loop polls all of them, and another \
     polls only woken tasks. How many polls does each loop make?"
);
/// One loop polls everything that waits, in each round. The other one polls what was woken.
fn polled_for_nothing(t: Transcript) -> anyhow::Result<()> {
    let (now, polls) = (Rc::<Cell<u32>>::default(), Rc::<Cell<u32>>::default());
    let mut waiting: Vec<Pin<Box<dyn Coroutine<Output = ()>>>> = Vec::new();
    for round in [10, 100, 1000] {
        waiting.push(Box::pin(wait_until(round, Rc::clone(&now), Rc::clone(&polls))));
    }
    let mut context = Context::from_waker(Waker::noop());
    for round in 1..=1000 {
        now.set(round);
        waiting.retain_mut(|coroutine| coroutine.as_mut().poll(&mut context).is_pending());
    }
    say!(t, "the loop that polls everything: {} polls", polls.replace(0));

    let queue = ReadyQueue::new()?;
    let _entered = queue.enter();
    let events = [10, 100, 1000].map(|round| (round, queue.create_future()));
    for (_, event) in &events {
        queue.create_task(counted(event.clone(), Rc::clone(&polls)));
    }
    for round in 1..=1000 {
        for (_, event) in events.iter().filter(|(when, _)| *when == round) {
            event.set_result(())?;
        }
        queue.run_ready();
    }
    say!(t, "the loop that polls woken tasks: {} polls", polls.get());
    Ok(())
}

async fn wait_until(round: u32, now: Rc<Cell<u32>>, polls: Rc<Cell<u32>>) {
    poll_fn(|_| {
        polls.set(polls.get() + 1);
        if now.get() < round { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

async fn counted(mut event: step06_tasks::Future<()>, polls: Rc<Cell<u32>>) -> Result<()> {
    poll_fn(|context| {
        polls.set(polls.get() + 1);
        Pin::new(&mut event).poll(context)
    })
    .await
}

/// A leaf that counts its polls, keeps its waker where the scene finds it, and ends when the scene
/// says so.
#[derive(Clone, Default)]
struct Probe {
    polls: Rc<Cell<u32>>,
    waker: Rc<RefCell<Option<Waker>>>,
    is_over: Rc<Cell<bool>>,
}

impl Probe {
    async fn wait(self) -> Result<()> {
        poll_fn(|context| {
            self.polls.set(self.polls.get() + 1);
            self.waker.replace(Some(context.waker().clone()));
            if self.is_over.get() { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await
    }

    fn waker(&self) -> anyhow::Result<Waker> {
        self.waker.borrow().clone().context("it was polled")
    }
}

scene!(
    hundred_wakes,
    "A task is woken a hundred times before its turn. How many steps does the task take?"
);
/// One. A wake only says "poll again", and one poll finds whatever the hundred wakes were about.
/// The first wake notes that a wake-up is on its way, so the other 99 send nothing. The leaf is
/// polled twice, once in the first round and once for all the wakes (`polls of the leaf: 2`). So a
/// leaf mustn't count its wakes and has to check in each poll what it waits for.
fn hundred_wakes(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let probe = Probe::default();
    queue.create_task(probe.clone().wait());
    say!(t, "first round: {} step, {} poll", queue.run_ready(), probe.polls.get());
    let waker = probe.waker()?;
    for _ in 0..100 {
        waker.wake_by_ref();
    }
    queue.take_remote(Drain::Pipe)?;
    say!(t, "woken a hundred times: {} step", queue.run_ready());
    say!(t, "polls of the leaf: {}", probe.polls.get());
    queue.clear();
    Ok(())
}

scene!(
    woken_during_its_poll: order,
    "A leaf wakes its own task three times during its first poll and three times during its \
     second. When is it polled again?"
);
/// Once in the next round: the first wake queues the task, and the other two find it queued
/// already, so each round has `entries taken from the queue: 1`. That works in the middle of a
/// poll, because the step resets the task's `queued` flag before it polls. If it reset the flag
/// afterwards, all three wakes would be lost. After the third poll the task has ended, so in round
/// 4 the queue is empty: `entries taken from the queue: 0`.
fn woken_during_its_poll(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let mut polls = 0;
    queue.create_task(poll_fn(move |context| {
        polls += 1;
        say!(t, "  poll {polls}");
        if polls == 3 {
            return Poll::Ready(Ok(()));
        }
        for _ in 0..3 {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }));
    for round in 1..=4 {
        say!(t, "round {round}");
        let steps = queue.run_ready();
        say!(t, "  entries taken from the queue: {}", steps);
    }
    Ok(())
}

scene!(
    woken_after_its_end,
    "A waker is used after its task has ended and another task has taken that task's place. Does it wake the new task?"
);
/// No (`the first task's waker is used: 1 poll`, which is the poll from before). A waker doesn't
/// point to a task; it has an id, which is an index and a generation. The second task has the same
/// index, but another generation, so the late wake finds no task. That's how a waker can outlive
/// its task without harm. The second task's own waker works:
/// `the second task's waker is used: 2 polls`.
fn woken_after_its_end(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let first = Probe::default();
    queue.create_task(first.clone().wait());
    queue.run_ready();
    let kept = first.waker()?;
    first.is_over.set(true);
    kept.wake_by_ref();
    queue.run_until_idle()?;
    say!(t, "the first task has ended after {} polls", first.polls.get());

    let second = Probe::default();
    queue.create_task(second.clone().wait());
    queue.run_until_idle()?;
    say!(t, "the second task waits, after {} poll", second.polls.get());
    kept.wake();
    queue.run_until_idle()?;
    say!(t, "the first task's waker is used: {} poll", second.polls.get());
    second.waker()?.wake();
    queue.run_until_idle()?;
    say!(t, "the second task's waker is used: {} polls", second.polls.get());
    queue.clear();
    Ok(())
}

scene!(
    woken_from_a_thread_during_its_poll: order,
    "A poll finds no result, but before it returns, another thread sends one. Does the task sleep \
     forever?"
);
/// The leaf looks for its result, finds nothing, and only then lets the thread run to its end,
/// still inside the poll.
fn woken_from_a_thread_during_its_poll(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut polls = 0;
    queue.create_task(poll_fn(move |context| {
        polls += 1;
        if let Ok(result) = receiver.try_recv() {
            say!(t, "poll {polls}: finds {}", result);
            return Poll::Ready(Ok(()));
        }
        say!(t, "poll {polls}: finds nothing");
        let (sender, waker) = (sender.clone(), context.waker().clone());
        let worker = thread::spawn(move || {
            let _ = sender.send("a result");
            waker.wake();
        });
        // The gate: this poll doesn't return before the thread has sent and woken.
        let _ = worker.join();
        say!(t, "poll {polls}: the thread has sent and woken; returns Pending");
        Poll::Pending
    }));
    queue.run_until_idle()?;
    say!(t, "tasks left: {}", queue.task_count());
    Ok(())
}
