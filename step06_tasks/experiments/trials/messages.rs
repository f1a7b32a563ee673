//! Trials of what the queue does with messages: callbacks and wake-ups of other threads, in any
//! order with the queue's own.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::thread;

use kit::cost::within;
use kit::memory::Memory;
use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::for_trials::{take_messages, waker_of};
use step06_tasks::{Drain, ReadyQueue, Task};

const TASKS: usize = 3;

/// What another thread does.
#[derive(Debug, Clone, Copy)]
enum Send {
    Call,
    Wake(usize),
    WakeTwice(usize),
}

#[derive(Debug, Clone)]
enum Verb {
    FromThread(Vec<Send>),
    CallSoon(usize),
    /// On the queue's thread, while it runs the queue.
    WakeHere(usize),
    End(usize),
    NewTask(usize),
    TakeRemote,
    /// Another thread sends this while the queue takes over the messages from before.
    TakeWhileSending(Vec<Send>),
    RunReady,
}

impl Verb {
    fn random(number: usize, random: &mut Random) -> Verb {
        let task = random.below(TASKS);
        let sent = |random: &mut Random| {
            let count = 1 + random.below(4);
            let one = |random: &mut Random| match random.below(5) {
                0..2 => Send::Call,
                2 => Send::WakeTwice(random.below(TASKS)),
                _ => Send::Wake(random.below(TASKS)),
            };
            (0..count).map(|_| one(random)).collect()
        };
        match random.below(17) {
            0..6 => Verb::FromThread(sent(random)),
            16 => Verb::TakeWhileSending(sent(random)),
            6..8 => Verb::CallSoon(number),
            8..10 => Verb::WakeHere(task),
            10 => Verb::End(task),
            11 => Verb::NewTask(task),
            12..14 => Verb::TakeRemote,
            _ => Verb::RunReady,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::FromThread(sent) => write!(f, "a thread sends {sent:?}"),
            Verb::CallSoon(number) => write!(f, "call_soon(callback {number})"),
            Verb::WakeHere(task) => write!(f, "task {task} is woken on the queue's thread"),
            Verb::End(task) => write!(f, "task {task} will end at its next step"),
            Verb::NewTask(task) => write!(f, "another task takes the place of {task}"),
            Verb::TakeRemote => f.write_str("take_remote()"),
            Verb::TakeWhileSending(sent) => {
                write!(f, "what was sent is taken, and meanwhile a thread sends {sent:?}")
            }
            Verb::RunReady => f.write_str("one round"),
        }
    }
}

/// A task that says when it takes a step.
struct Stepping {
    waker: Waker,
    ends: Rc<Cell<bool>>,
    _task: Task<()>,
}

/// The queue and its tasks.
struct World {
    t: Transcript,
    queue: ReadyQueue,
    tasks: RefCell<Vec<Stepping>>,
    made: Cell<usize>,
}

impl World {
    fn make_task(&self) -> Stepping {
        let (t, number) = (self.t, self.made.get());
        self.made.set(number + 1);
        let ends = Rc::new(Cell::new(false));
        let is_over = Rc::clone(&ends);
        let task = self.queue.create_task(poll_fn(move |_| {
            say!(t, "  step of the task that was made as number {number}");
            if is_over.get() { Poll::Ready(Ok(())) } else { Poll::Pending }
        }));
        Stepping { waker: waker_of(&task), ends, _task: task }
    }

    fn send(&self, messages: Vec<Send>) {
        let (t, handle) = (self.t, self.queue.handle());
        let wakers: Vec<Waker> = self.tasks.borrow().iter().map(|it| it.waker.clone()).collect();
        // A panic there is reported by the thread itself.
        let _ = thread::spawn(move || {
            for (number, message) in messages.into_iter().enumerate() {
                match message {
                    Send::Call => {
                        handle.call_soon_threadsafe(move || say!(t, "  message {number} runs"));
                    }
                    Send::Wake(task) => wakers[task].wake_by_ref(),
                    Send::WakeTwice(task) => {
                        wakers[task].wake_by_ref();
                        wakers[task].wake_by_ref();
                    }
                }
            }
        })
        .join();
    }

    fn carry_out(&self, verb: Verb) -> anyhow::Result<()> {
        let t = self.t;
        match verb {
            Verb::FromThread(messages) => self.send(messages),
            Verb::CallSoon(number) => {
                self.queue.call_soon(move || say!(t, "  callback {number} runs"));
            }
            Verb::WakeHere(task) => {
                let _entered = self.queue.enter();
                self.tasks.borrow()[task].waker.wake_by_ref();
            }
            Verb::End(task) => self.tasks.borrow()[task].ends.set(true),
            Verb::NewTask(task) => {
                let new = self.make_task();
                let _old = std::mem::replace(&mut self.tasks.borrow_mut()[task], new);
            }
            Verb::TakeRemote => self.queue.take_remote(Drain::Pipe)?,
            Verb::TakeWhileSending(messages) => {
                let taken = take_messages(&self.queue);
                self.send(messages);
                taken.queue(&self.queue);
            }
            Verb::RunReady => say!(t, "  {} taken from the queue", self.queue.run_ready()),
        }
        say!(t, "  then {:?}", self.queue);
        Ok(())
    }
}

trial!(
    messages_keep_their_order,
    40,
    "What threads send is queued in its order, a task once, and the next wake-up is sent again."
);
fn messages_keep_their_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs: Vec<Verb> = (0..14).map(|number| Verb::random(number, &mut random)).collect();
    let verbs = program.verbs(verbs);
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let world = World { t, queue, tasks: RefCell::default(), made: Cell::new(0) };
    for _ in 0..TASKS {
        let task = world.make_task();
        world.tasks.borrow_mut().push(task);
    }
    say!(t, "the tasks take their first steps");
    world.queue.run_ready();
    for verb in verbs {
        say!(t, "{verb}");
        world.carry_out(verb)?;
    }
    say!(t, "until nothing is ready");
    world.queue.run_until_idle()?;
    world.queue.clear();
    Ok(())
}

trial!(
    messages_cost_no_memory,
    2,
    "The list of messages keeps its memory from one take to the next."
);
fn messages_cost_no_memory(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for count in program.verbs([1000, 500, 1]) {
        let queue = ReadyQueue::new()?;
        queue.set_exception_handler(|_| {});
        let wakers: Vec<Waker> = (0..count)
            .map(|_| queue.create_task(poll_fn(|_| Poll::<step06_tasks::Result<()>>::Pending)))
            .map(|task| waker_of(&task))
            .collect();
        for turn in 0..4 {
            queue.run_ready();
            // The queue isn't entered, so these are sent, though by its own thread.
            let ((), sending) = Memory::of(|| wakers.iter().for_each(Waker::wake_by_ref));
            queue.take_remote(Drain::Pipe)?;
            say!(t, "{count} wake-ups are sent and taken: {queue:?}");
            // There are two lists, which take turns: threads send to one while the queue takes from
            // the other.
            if turn >= 2 {
                say!(t, "  allocations to send them: {}", within(sending.allocations, 0));
            }
        }
        queue.clear();
    }
    Ok(())
}
