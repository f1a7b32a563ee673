//! The things that tasks in the scenes wait for: their next turn, and a gate.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread::{self, JoinHandle};

/// Formats a number of times: `once` or `2 times`.
pub(crate) fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Wakes the running task this many times and then yields.
pub(crate) async fn yield_woken(times: usize) {
    let mut has_yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        for _ in 0..times {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await;
}

/// Wakes the running task and yields to the other tasks once.
pub(crate) async fn yield_now() {
    yield_woken(1).await;
}

/// Returns the waker of the task that awaits this coroutine.
pub(crate) async fn own_waker() -> Waker {
    poll_fn(|context| Poll::Ready(context.waker().clone())).await
}

/// A gate at which tasks wait. Any thread can open the gate for all of these tasks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_open: bool,
    wakers: Vec<Waker>,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the gate and wakes the waiting tasks.
    pub(crate) fn open(&self) {
        let mut state = self.state();
        state.is_open = true;
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Makes another thread open the gate as soon as a task is waiting there.
    pub(crate) fn opened_by_a_thread(&self) -> JoinHandle<()> {
        let gate = self.clone();
        thread::spawn(move || {
            while gate.waiting() == 0 {
                thread::yield_now();
            }
            gate.open();
        })
    }

    /// Returns the number of tasks that are waiting.
    pub(crate) fn waiting(&self) -> usize {
        self.state().wakers.len()
    }

    /// Waits until the gate is open.
    pub(crate) async fn passed(&self) {
        poll_fn(|context| {
            let mut state = self.state();
            if state.is_open {
                return Poll::Ready(());
            }
            state.wakers.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
