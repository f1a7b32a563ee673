//! Threads that take turns in an order that we choose. Only one thread runs at a time, until its
//! next system call that matters, such as a read, a write, or a wait for a lock.
//!
//! The outcome of a race depends on the order in which the threads advance. Here, a program chooses
//! that order, so a race always has the same outcome. The kernel stops the threads for us: a filter
//! reports their calls through a descriptor, and each thread waits until we answer. See
//! `seccomp(2)`, `SECCOMP_RET_USER_NOTIF`.

use std::os::fd::OwnedFd;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::Context;

use crate::OneCpu;
use crate::stops::{self, Stop, stop_at_calls};

/// The maximum number of turns. Threads that need more turns most likely loop forever.
const MOST_TURNS: usize = 400;

/// The code that a thread runs.
pub type ThreadBody = Box<dyn FnOnce() + Send>;
/// The calls in the order in which they were made, each as the thread's index and the call's name.
pub type CallsInOrder = Vec<(usize, &'static str)>;

/// The ways in which the threads' turns can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All bodies ran to their end.
    Done,
    /// The threads that aren't done are waiting for locks that none of them will release.
    Deadlock,
    /// The threads made hundreds of calls without finishing.
    Endless,
}

/// Threads that take turns. Each thread can run several bodies, one after another.
#[derive(Debug)]
pub struct Turns {
    threads: Vec<Stepped>,
    _one_cpu: OneCpu,
}

impl Turns {
    /// Starts the threads.
    ///
    /// Fails if the kernel can't report a thread's calls or doesn't let this process receive such
    /// reports.
    pub fn new(threads: usize) -> anyhow::Result<Self> {
        let one_cpu = OneCpu::here();
        let threads = (0..threads).map(|_| Stepped::start()).collect::<anyhow::Result<_>>()?;
        Ok(Turns { threads, _one_cpu: one_cpu })
    }

    /// Runs each body in a different thread, turn by turn. `choose` receives the indexes of the
    /// threads that could have the next turn, at least one, and returns one of these indexes.
    ///
    /// If the bodies don't finish, their threads stay stopped for as long as the process runs, so
    /// don't use these `Turns` again.
    ///
    /// # Panics
    /// Panics if there are more bodies than threads.
    pub fn run(
        &mut self,
        bodies: Vec<ThreadBody>,
        mut choose: impl FnMut(&[usize]) -> usize,
    ) -> anyhow::Result<(Ending, CallsInOrder)> {
        assert!(bodies.len() <= self.threads.len(), "more bodies than threads");
        for (thread, body) in self.threads.iter_mut().zip(bodies) {
            *thread.next.lock().unwrap_or_else(PoisonError::into_inner) = Next::Do(body);
        }
        let mut calls = Vec::new();
        loop {
            let able = |&index: &usize| self.threads[index].can_go_on();
            let able: Vec<usize> = (0..self.threads.len()).filter(able).collect();
            if able.is_empty() || calls.len() == MOST_TURNS {
                let ending = match (self.are_idle(), able.is_empty()) {
                    (true, _) => Ending::Done,
                    (false, true) => Ending::Deadlock,
                    (false, false) => Ending::Endless,
                };
                return Ok((ending, calls));
            }
            let chosen = choose(&able);
            calls.push((chosen, self.threads[chosen].at.name()));
            self.threads[chosen].step()?;
            if self.threads[chosen].at.may_release() || self.threads[chosen].is_idle() {
                self.threads.iter_mut().for_each(|thread| thread.waits = false);
            }
        }
    }

    fn are_idle(&self) -> bool {
        self.threads.iter().all(Stepped::is_idle)
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        for mut thread in self.threads.drain(..) {
            if thread.is_idle() {
                let _ = thread.end();
            } else {
                // Keep the listener open. Without it, the thread's calls would fail, and the thread
                // would continue.
                std::mem::forget(thread.listener);
            }
        }
    }
}

/// A thread's next job.
enum Next {
    Nothing,
    Do(ThreadBody),
    End,
}

impl std::fmt::Debug for Next {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Next::Nothing => "Nothing",
            Next::Do(_) => "Do",
            Next::End => "End",
        })
    }
}

/// A thread that stops at its calls.
#[derive(Debug)]
struct Stepped {
    thread: Option<JoinHandle<()>>,
    listener: OwnedFd,
    /// An idle thread locks this value only when it gets a turn, so until then the lock is free.
    next: Arc<Mutex<Next>>,
    /// The call at which the thread is stopped.
    at: Stop,
    /// True if the thread is waiting for a lock that was still held when the thread last checked.
    waits: bool,
}

impl Stepped {
    fn start() -> anyhow::Result<Self> {
        let next = Arc::new(Mutex::new(Next::Nothing));
        let (thread, listener) = stops::start(stop_at_calls, {
            let next = Arc::clone(&next);
            move || {
                while do_next(&next) {
                    thread::yield_now();
                }
            }
        })?;
        let at = Stop::of_the_next_call(&listener)?;
        Ok(Stepped { thread: Some(thread), listener, next, at, waits: false })
    }

    fn is_idle(&self) -> bool {
        // A thread in the middle of its body has also left `Nothing` behind, but it holds the lock.
        self.next.try_lock().is_ok_and(|next| matches!(*next, Next::Nothing))
    }

    fn can_go_on(&self) -> bool {
        !self.waits && !self.is_idle()
    }

    /// Lets the thread make its call and waits until it stops at the next call.
    fn step(&mut self) -> anyhow::Result<()> {
        self.at.go_on(&self.listener)?;
        self.at = Stop::of_the_next_call(&self.listener)?;
        self.waits = self.at.is_a_wait();
        Ok(())
    }

    /// Ends an idle thread.
    fn end(&mut self) -> anyhow::Result<()> {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Next::End;
        self.at.go_on(&self.listener)?;
        let joined = self.thread.take().map(JoinHandle::join).transpose();
        joined.ok().map(drop).context("a thread panicked")
    }
}

/// Does the thread's next job. Returns false if the thread should end.
fn do_next(next: &Mutex<Next>) -> bool {
    let mut next_now = next.lock().unwrap_or_else(PoisonError::into_inner);
    match std::mem::replace(&mut *next_now, Next::Nothing) {
        Next::Nothing => {}
        Next::End => return false,
        Next::Do(body) => {
            // The thread holds the lock in the meantime, so other threads can see that this thread
            // isn't idle. If the body panics, the panic hook has already reported the panic.
            let _ = panic::catch_unwind(AssertUnwindSafe(body));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

    use super::*;

    /// Makes two threads add one to a number, each in two steps: a load and a store.
    fn sum(schedule: &[usize]) -> i32 {
        let sum = Arc::new(AtomicI32::new(0));
        let body = || -> ThreadBody {
            let sum = Arc::clone(&sum);
            Box::new(move || {
                let seen = sum.load(SeqCst);
                thread::yield_now();
                sum.store(seen + 1, SeqCst);
            })
        };
        let mut turns = schedule.iter();
        let choose = |able: &[usize]| *turns.next().unwrap_or(&able[0]);
        let (ending, _) = Turns::new(2).unwrap().run(vec![body(), body()], choose).unwrap();
        assert_eq!(ending, Ending::Done);
        sum.load(SeqCst)
    }

    #[test]
    fn the_schedule_decides_a_race() {
        assert_eq!(sum(&[0, 0, 1, 1]), 2);
        assert_eq!(sum(&[0, 1, 0, 1]), 1);
    }

    #[test]
    fn a_lock_keeps_the_other_thread_out_and_two_locks_can_deadlock() {
        let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
        let body = |first: usize, second: usize| -> ThreadBody {
            let locks = Arc::clone(&locks);
            Box::new(move || {
                let one = locks[first].lock();
                thread::yield_now();
                drop((locks[second].lock(), one));
            })
        };
        let alternate = || {
            let mut last = 0;
            move |able: &[usize]| {
                last = able.iter().copied().find(|index| *index != last).unwrap_or(able[0]);
                last
            }
        };
        let same_order =
            Turns::new(2).unwrap().run(vec![body(0, 1), body(0, 1)], alternate()).unwrap();
        assert_eq!(same_order.0, Ending::Done);
        let crossed =
            Turns::new(2).unwrap().run(vec![body(0, 1), body(1, 0)], alternate()).unwrap();
        assert_eq!(crossed.0, Ending::Deadlock);
    }

    #[test]
    fn a_thread_that_never_ends_gets_the_maximum_number_of_turns_and_no_more() {
        let body = || loop {
            thread::yield_now();
        };
        let (ending, calls) =
            Turns::new(1).unwrap().run(vec![Box::new(body)], |able| able[0]).unwrap();
        assert_eq!((ending, calls.len()), (Ending::Endless, MOST_TURNS));
    }
}
