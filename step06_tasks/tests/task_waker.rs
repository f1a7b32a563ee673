//! The flag of a task's waker loses no wake-up.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::task::Wake;
use std::thread;
use std::time::{Duration, Instant};

use remote::{QueueHandle, QueueId};
use wakers::TaskWaker;

// The waker on its own: a queue takes too long for a processor to reorder around it.
#[allow(dead_code, unreachable_pub, reason = "the test needs only a part")]
#[path = "../src/ready_queue/wakers.rs"]
mod wakers;

/// Replaces the layer's module: no queue is entered here.
mod current_queue {
    use std::cell::RefCell;

    pub(crate) struct ReadyQueue {
        pub(crate) shared: QueueBody,
    }

    pub(crate) struct QueueBody {
        pub(crate) id: super::QueueId,
    }

    impl ReadyQueue {
        #[allow(clippy::unused_self, reason = "the layer's needs it")]
        pub(crate) fn wake(&self, _: super::any_task::TaskId) {}
    }

    std::thread_local! {
        pub(crate) static CURRENT_QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
    }
}

mod any_task {
    pub(crate) type TaskId = u64;
}

/// Replaces the layer's module: counts the messages and keeps the first waker.
mod remote {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::{Arc, OnceLock};

    use crate::wakers::TaskWaker;

    pub(crate) enum Message {
        Wake(Arc<TaskWaker>),
    }

    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct QueueId;

    #[derive(Clone, Default)]
    pub(crate) struct QueueHandle {
        pub(crate) sent: Arc<AtomicU64>,
        pub(crate) waker: Arc<OnceLock<Arc<TaskWaker>>>,
        id: QueueId,
    }

    impl QueueHandle {
        pub(crate) fn id(&self) -> QueueId {
            self.id
        }

        pub(crate) fn send(&self, message: Message) {
            let Message::Wake(waker) = message;
            self.sent.fetch_add(1, Relaxed);
            let _ = self.waker.set(waker);
        }
    }
}

const LAST_ROUND: u64 = u64::MAX;

/// A cache line of its own.
#[repr(align(128))]
struct Line<T>(T);

/// The state that the waking thread shares with the thread that takes the message.
struct Shared {
    waker: Arc<TaskWaker>,
    queue: QueueHandle,
    /// The number that the waking thread publishes before it wakes the task.
    published: Line<AtomicU64>,
    round: Line<AtomicU64>,
    /// Twice the finished round of the waking thread, plus one if it has sent no message.
    woken: Line<AtomicU64>,
    /// Both threads write here. So their own stores wait for the other thread's cache, and a store
    /// that the processor may delay is delayed for a long time.
    noise: [Line<AtomicU64>; 8],
}

/// A message is on its way, and the task is woken just when it arrives. If the waker leaves the
/// wake-up to that message, the step that follows must see what was published. With a plain store
/// in `has_arrived`, this fails within milliseconds on a machine with two free processors; it can't
/// fail if the flag is right.
#[test]
fn a_waker_that_sends_nothing_has_published_for_the_step() {
    let queue = QueueHandle::default();
    TaskWaker::new(0, queue.clone()).wake_by_ref();
    let shared = Shared {
        waker: Arc::clone(queue.waker.get().unwrap()),
        queue,
        published: Line(AtomicU64::new(0)),
        round: Line(AtomicU64::new(0)),
        woken: Line(AtomicU64::new(0)),
        noise: std::array::from_fn(|_| Line(AtomicU64::new(0))),
    };
    thread::scope(|scope| {
        scope.spawn(|| wake_in_each_round(&shared));
        let end = Instant::now() + Duration::from_secs(1);
        let (mut round, mut is_lost) = (0, false);
        while !is_lost && Instant::now() < end {
            round += 1;
            is_lost = loses(&shared, round);
        }
        shared.round.0.store(LAST_ROUND, Release);
        assert!(!is_lost, "round {round}: a wake-up was lost");
    });
}

fn wake_in_each_round(shared: &Shared) {
    let mut before = 0;
    loop {
        for line in &shared.noise {
            line.0.store(before, Relaxed);
        }
        let round = wait_for(&shared.round.0, |round| round != before);
        if round == LAST_ROUND {
            return;
        }
        wait_a_little(round % 64);
        let sent_before = shared.queue.sent.load(Relaxed);
        shared.published.0.store(round, Relaxed);
        shared.waker.wake_by_ref();
        let has_sent = shared.queue.sent.load(Relaxed) != sent_before;
        shared.woken.0.store(2 * round + u64::from(!has_sent), Release);
        before = round;
    }
}

/// Lets the message arrive and looks at the published round. Returns true if it's too low.
fn loses(shared: &Shared, round: u64) -> bool {
    // A message is on its way.
    shared.waker.wake_by_ref();
    shared.round.0.store(round, Release);
    wait_a_little(round / 64 % 64);
    for line in &shared.noise {
        line.0.store(round, Relaxed);
    }
    shared.waker.has_arrived();
    let seen = shared.published.0.load(Relaxed);
    let woken = wait_for(&shared.woken.0, |woken| woken / 2 == round);
    woken % 2 == 1 && seen != round
}

fn wait_for(value: &AtomicU64, is_it: impl Fn(u64) -> bool) -> u64 {
    loop {
        let value = value.load(Acquire);
        if is_it(value) {
            return value;
        }
        spin_loop();
    }
}

/// Varies the moment at which the two threads meet.
fn wait_a_little(turns: u64) {
    for turn in 0..turns {
        black_box(turn);
    }
}
