//! Futures, tasks and the queue that runs them: properties that no scene shows.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::rc::Rc;

use step06_tasks::ReadyQueue;

mod cancelling;
mod chains;
mod floods;
mod futures;
mod observer;
mod overriding;
mod panics;
mod stale_waits;
mod tasks;
mod threads;

/// A queue whose reports are kept.
fn queue_with_reports() -> (ReadyQueue, Rc<RefCell<Vec<String>>>) {
    let (queue, reports) = (ReadyQueue::new().unwrap(), Rc::<RefCell<Vec<String>>>::default());
    let kept = Rc::clone(&reports);
    queue.set_exception_handler(move |message| kept.borrow_mut().push(message.to_string()));
    (queue, reports)
}
