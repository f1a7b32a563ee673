//! Futures that override the effect of cancelling them, and handles that don't keep a future.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use step06_tasks::{CancelOverride, Future, ReadyQueue, Result, Task};

/// Notes the calls that it gets.
#[derive(Default)]
struct Noted {
    can_cancel: Cell<bool>,
    requests: RefCell<Vec<Option<String>>>,
    /// Is cancelled together with this override: for a request that comes full circle.
    task: RefCell<Option<Task<()>>>,
}

impl CancelOverride for Noted {
    fn can_cancel(&self) -> bool {
        self.can_cancel.get()
    }

    fn cancel(&self, message: Option<&str>) {
        self.requests.borrow_mut().push(message.map(str::to_owned));
        if let Some(task) = &*self.task.borrow() {
            task.cancel();
        }
    }
}

fn noted() -> (ReadyQueue, Rc<Noted>, Future<()>) {
    let (queue, noted) = (ReadyQueue::new().unwrap(), Rc::new(Noted::default()));
    noted.can_cancel.set(true);
    let future = queue.create_future_with(Rc::clone(&noted));
    (queue, noted, future)
}

fn waits_for(queue: &ReadyQueue, future: &Future<()>) -> Task<()> {
    let task = queue.create_task(future.clone());
    queue.run_ready();
    task
}

#[test]
fn its_owner_decides_when_it_ends() {
    let (_queue, noted, future) = noted();
    assert!(future.cancel() && future.cancel_with("now") && future.can_be_cancelled());
    assert!(!future.done());
    assert_eq!(*noted.requests.borrow(), [None, Some("now".to_owned())]);
    future.set_result(()).unwrap();
    assert!(!future.cancel() && !future.can_be_cancelled());
    assert_eq!(noted.requests.borrow().len(), 2);
}

#[test]
fn a_task_passes_its_request_on_and_waits_for_the_end() {
    let (queue, noted, future) = noted();
    let task = waits_for(&queue, &future);
    assert!(task.cancel_with("now"));
    queue.run_until_idle().unwrap();
    assert!(!task.done());
    assert_eq!(*noted.requests.borrow(), [Some("now".to_owned())]);
    future.set_result(()).unwrap();
    queue.run_until_idle().unwrap();
    assert!(task.done() && !task.cancelled());
}

#[test]
fn with_nothing_left_to_cancel_the_task_gets_its_cancellation_at_the_end() {
    let (queue, noted, future) = noted();
    noted.can_cancel.set(false);
    let task = waits_for(&queue, &future);
    assert!(task.cancel());
    queue.run_until_idle().unwrap();
    assert!(!task.done(), "the end of the future is on its way");
    assert!(noted.requests.borrow().is_empty());
    future.set_result(()).unwrap();
    queue.run_until_idle().unwrap();
    assert!(task.cancelled());
}

#[test]
fn a_request_that_comes_full_circle_is_delivered() {
    let (queue, noted, future) = noted();
    let task = waits_for(&queue, &future);
    noted.task.replace(Some(task.clone()));
    assert!(task.cancel());
    queue.run_until_idle().unwrap();
    assert!(task.cancelled());
    assert_eq!(noted.requests.borrow().len(), 1);
    noted.task.take();
}

#[test]
fn a_future_whose_cancel_has_panicked_can_be_cancelled_again() {
    struct Broken;
    impl CancelOverride for Broken {
        fn can_cancel(&self) -> bool {
            true
        }
        fn cancel(&self, _message: Option<&str>) {
            resume_unwind(Box::new("broken"));
        }
    }
    let future = ReadyQueue::new().unwrap().create_future_with::<()>(Broken);
    for _ in 0..2 {
        assert!(future.can_be_cancelled());
        assert!(catch_unwind(AssertUnwindSafe(|| future.cancel())).is_err());
    }
}

#[test]
fn a_weak_handle_keeps_no_future() -> Result<()> {
    let queue = ReadyQueue::new()?;
    let future = queue.create_future();
    let weak = future.downgrade();
    weak.upgrade().unwrap().set_result(42)?;
    assert_eq!(future.result()?, 42);
    drop(future);
    assert!(weak.upgrade().is_none());
    Ok(())
}
