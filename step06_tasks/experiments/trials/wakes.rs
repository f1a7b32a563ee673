//! Trials of a task's waker: wake-ups on the queue's thread, on others, and at bad moments.
//!
//! The queue has no rounds and its tasks no steps yet. So a program looks at what is queued and at
//! what was sent.

use std::cell::RefCell;
use std::fmt;
use std::future::pending;
use std::task::Waker;
use std::thread;

use kit::Turns;
use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::for_trials::{begin_step, take_messages, waker_of};
use step06_tasks::{ReadyQueue, Task};

const TASKS: usize = 2;

/// An event that affects the queue or one of its tasks.
#[derive(Debug, Clone, Copy)]
enum Verb {
    /// On the queue's thread, while it runs the queue.
    WakeHere(usize),
    /// The same, while the queue takes what was sent.
    WakeMeanwhile(usize),
    /// On the queue's thread, while it doesn't run the queue.
    WakeUnentered(usize),
    /// On the queue's thread, while it runs another queue inside a callback: one that's older than
    /// the task's queue, and then one that's newer.
    WakeInAnother(usize),
    /// On another thread, this many times.
    WakeFromThread(usize, usize),
    /// On another thread, once, while that thread ends.
    WakeAtThreadsEnd(usize),
    DropInDestructor(usize),
    BeginStep(usize),
    Arrive,
    EndAll,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let task = random.below(TASKS);
        match random.below(18) {
            0..3 => Verb::WakeHere(task),
            3 => Verb::WakeMeanwhile(task),
            4..6 => Verb::WakeUnentered(task),
            6 => Verb::WakeInAnother(task),
            7..10 => Verb::WakeFromThread(task, random.choose(&[1, 2, 1000])),
            10 => Verb::WakeAtThreadsEnd(task),
            11 => Verb::DropInDestructor(task),
            12..15 => Verb::BeginStep(task),
            15..17 => Verb::Arrive,
            _ => Verb::EndAll,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::WakeHere(task) => write!(f, "task {task} is woken on the queue's thread"),
            Verb::WakeMeanwhile(task) => {
                write!(f, "task {task} is woken while the queue takes its messages")
            }
            Verb::WakeUnentered(task) => write!(f, "task {task} is woken before the queue runs"),
            Verb::WakeInAnother(task) => write!(f, "task {task} is woken while another queue runs"),
            Verb::WakeFromThread(task, 1) => write!(f, "task {task} is woken by a thread"),
            Verb::WakeFromThread(task, times) => {
                write!(f, "task {task} is woken by a thread {times} times")
            }
            Verb::WakeAtThreadsEnd(task) => write!(f, "task {task} is woken by a thread that ends"),
            Verb::DropInDestructor(task) => write!(f, "task {task} is woken by a destructor"),
            Verb::BeginStep(task) => write!(f, "task {task} begins a step"),
            Verb::Arrive => f.write_str("the queue takes its messages"),
            Verb::EndAll => f.write_str("all tasks end"),
        }
    }
}

/// Wakes when it's dropped.
struct WakesOnDrop(Waker);

impl Drop for WakesOnDrop {
    fn drop(&mut self) {
        self.0.wake_by_ref();
    }
}

thread_local! {
    static DROPPED_WITH_THE_THREAD: RefCell<Option<WakesOnDrop>> = const { RefCell::new(None) };
}

fn wake_from_thread(waker: Waker, times: usize) {
    // A panic there is reported by the thread itself.
    let _ = thread::spawn(move || {
        for _ in 1..times {
            waker.wake_by_ref();
        }
        waker.wake();
    })
    .join();
}

fn wake_at_threads_end(waker: Waker) {
    let _ = thread::spawn(|| {
        DROPPED_WITH_THE_THREAD.set(Some(WakesOnDrop(waker)));
        // The thread's variables are dropped in reverse order, so the variable with the queue that
        // this thread is running has gone by then.
        if let Ok(queue) = ReadyQueue::new() {
            drop(queue.enter());
        }
    })
    .join();
}

fn say_unless_entered(queue: &ReadyQueue, t: Transcript) {
    if !queue.is_entered() {
        say!(t, "  after the wake-up, the thread doesn't run its queue any more");
    }
}

trial!(
    wakes_from_anywhere,
    50,
    "On the thread that runs the queue, a wake-up queues its task at once; elsewhere, it sends one message."
);
fn wakes_from_anywhere(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..10).map(|_| Verb::random(&mut random)));
    let (older, queue, newer) = (ReadyQueue::new()?, ReadyQueue::new()?, ReadyQueue::new()?);
    for queue in [&older, &queue, &newer] {
        queue.set_exception_handler(|_| {});
    }
    let others = [older, newer];
    let tasks: Vec<Task<()>> = (0..TASKS).map(|_| queue.create_task(pending())).collect();
    tasks.iter().for_each(begin_step);
    // The other queues' tasks have the same ids as these.
    for another in &others {
        (0..TASKS).for_each(|_| begin_step(&another.create_task::<()>(pending())));
    }
    // They're still queued from when they were made.
    say!(t, "two tasks wait: {queue:?}");
    for verb in verbs {
        match verb {
            Verb::WakeHere(task) => {
                // The queue would take what was sent before, and that isn't written yet.
                take_messages(&queue).drop_all();
                let _entered = queue.enter();
                waker_of(&tasks[task]).wake();
                say_unless_entered(&queue, t);
            }
            Verb::WakeMeanwhile(task) => {
                let _held = take_messages(&queue);
                let _entered = queue.enter();
                waker_of(&tasks[task]).wake();
            }
            Verb::WakeUnentered(task) => waker_of(&tasks[task]).wake_by_ref(),
            Verb::WakeInAnother(task) => {
                let _entered = queue.enter();
                for another in &others {
                    let _another_entered = another.enter();
                    waker_of(&tasks[task]).wake_by_ref();
                    say_unless_entered(another, t);
                }
            }
            Verb::WakeFromThread(task, times) => wake_from_thread(waker_of(&tasks[task]), times),
            Verb::WakeAtThreadsEnd(task) => wake_at_threads_end(waker_of(&tasks[task])),
            Verb::DropInDestructor(task) => {
                take_messages(&queue).drop_all();
                let _entered = queue.enter();
                drop(WakesOnDrop(waker_of(&tasks[task])));
            }
            Verb::BeginStep(task) => begin_step(&tasks[task]),
            Verb::Arrive => say!(t, "messages: {}", take_messages(&queue).drop_all()),
            Verb::EndAll => {
                take_messages(&queue).drop_all();
                queue.clear();
            }
        }
        say!(t, "{verb}: {queue:?}");
        if others.iter().any(|another| another.ready_count() != TASKS) {
            say!(t, "  a task of the other queue is woken");
        }
    }
    take_messages(&queue).drop_all();
    others.iter().for_each(ReadyQueue::clear);
    queue.clear();
    let late = waker_of(&tasks[0]);
    drop((tasks, queue));
    late.wake();
    say!(t, "a wake-up after the queue's end does nothing");
    Ok(())
}

trial!(
    a_wake_is_taken_while_it_is_sent,
    1,
    "If the queue takes a message before the sending thread goes on, the next wake-up sends another."
);
fn a_wake_is_taken_while_it_is_sent(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut thread = Turns::new(1)?;
    for wakes in program.verbs(1..3) {
        let queue = ReadyQueue::new()?;
        queue.set_exception_handler(|_| {});
        let task: Task<()> = queue.create_task(pending());
        begin_step(&task);
        let waker = waker_of(&task);
        let wakes_often = move || (0..wakes).for_each(|_| waker.wake_by_ref());
        let mut taken = 0;
        // The thread stops at its calls, and the queue takes what is there at each of them.
        let take = |able: &[usize]| {
            taken += take_messages(&queue).drop_all();
            able[0]
        };
        let (ending, _) = thread.run(vec![Box::new(wakes_often)], take)?;
        taken += take_messages(&queue).drop_all();
        say!(
            t,
            "a thread wakes the task {wakes} times: {ending:?}; the queue gets a message: {}",
            taken > 0
        );
        let waker = waker_of(&task);
        wake_from_thread(waker, 1);
        say!(t, "one more wake-up: {queue:?}");
        take_messages(&queue).drop_all();
        queue.clear();
    }
    Ok(())
}
