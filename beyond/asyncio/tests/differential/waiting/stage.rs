//! The stage of a program: its tasks and futures, and the objects that its tasks have made.

use std::cell::{Cell, RefCell};
use std::future::Future as Coroutine;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{EventLoop, Future, Result, Task, TaskGroup, Timeout};

use super::player::{perform, perform_block};
use super::program::{FUTURES, NEVER, Program, TASKS};

pub(crate) struct Stage {
    pub(crate) program: Program,
    pub(crate) event_loop: EventLoop,
    pub(crate) tasks: RefCell<Vec<Option<Task<usize>>>>,
    pub(crate) futures: Vec<Future<usize>>,
    /// Functions that cancel the futures of gather and shield.
    pub(crate) outers: RefCell<Vec<Box<dyn Fn() -> bool>>>,
    pub(crate) groups: RefCell<Vec<TaskGroup>>,
    pub(crate) scopes: RefCell<Vec<Timeout>>,
    /// Keeps deadlines apart.
    timers: Cell<u64>,
    pub(crate) lines: RefCell<Vec<String>>,
}

impl Stage {
    pub(crate) fn new(program: &Program, event_loop: &EventLoop) -> Self {
        Stage {
            program: program.clone(),
            event_loop: event_loop.clone(),
            tasks: RefCell::new(program.scripts.iter().map(|_| None).collect()),
            futures: (0..FUTURES).map(|_| event_loop.create_future()).collect(),
            outers: RefCell::default(),
            groups: RefCell::default(),
            scopes: RefCell::default(),
            timers: Cell::new(0),
            lines: RefCell::default(),
        }
    }

    pub(crate) fn say(&self, line: String) {
        self.lines.borrow_mut().push(line);
    }

    pub(crate) fn task(&self, number: usize) -> Option<Task<usize>> {
        self.tasks.borrow()[number].clone()
    }

    /// Starts a task, unless it was started before.
    pub(crate) fn spawn(self: &Rc<Self>, number: usize) -> Future<usize> {
        let task = self.task(number).unwrap_or_else(|| {
            let task = self.event_loop.create_task(perform(Rc::clone(self), number));
            self.tasks.borrow_mut()[number] = Some(task.clone());
            task
        });
        task.future()
    }

    /// Returns a delay that differs from all others, except for zero. The sums of two delays
    /// differ, too: without the fifth power, 1st + 5th would equal 2nd + 4th.
    pub(crate) fn delay(&self, milliseconds: usize) -> Option<Duration> {
        match milliseconds {
            NEVER => None,
            0 => Some(Duration::ZERO),
            more => {
                self.timers.set(self.timers.get() + 1);
                let scattered = self.timers.get().pow(5) % 999_983 * 618_033 % 999_983;
                Some(Duration::from_millis(more as u64) + Duration::from_nanos(scattered))
            }
        }
    }

    pub(crate) fn block(
        self: &Rc<Self>,
        number: usize,
        at: usize,
        end: usize,
    ) -> Pin<Box<dyn Coroutine<Output = Result<()>>>> {
        Box::pin(perform_block(Rc::clone(self), number, at, end))
    }

    pub(crate) fn arguments(
        self: &Rc<Self>,
        number: usize,
        mask: usize,
    ) -> Vec<(usize, Future<usize>)> {
        let later = number + 1..self.program.scripts.len();
        let tasks = later.filter(|task| mask >> task & 1 == 1).map(|task| (task, self.spawn(task)));
        let futures =
            self.futures.iter().zip(TASKS..).filter(|(_, number)| mask >> number & 1 == 1);
        tasks.chain(futures.map(|(future, number)| (number, future.clone()))).collect()
    }

    pub(crate) fn keep_outer<T: 'static>(&self, outer: &Future<T>) {
        let outer = outer.clone();
        self.outers.borrow_mut().push(Box::new(move || outer.cancel()));
    }
}
