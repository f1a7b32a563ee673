//! Properties of tasks and their queue that no scene shows.

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use crate::queue_with_reports;
use kit::limit_time;
use step06_tasks::ReadyQueue;

#[test]
fn dropping_a_coroutine_may_use_the_queue() {
    struct CallsOnDrop(ReadyQueue, Rc<Cell<bool>>);
    impl Drop for CallsOnDrop {
        fn drop(&mut self) {
            let flag = Rc::clone(&self.1);
            self.0.call_soon(move || flag.set(true));
        }
    }
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let called = Rc::new(Cell::new(false));
    let guard = CallsOnDrop(queue.clone(), Rc::clone(&called));
    let task = queue.create_task::<()>(async move {
        let _guard = guard;
        pending().await
    });
    queue.run_until_idle().unwrap();
    task.cancel();
    queue.set_exception_handler(|_| {});
    queue.clear();
    queue.run_until_idle().unwrap();
    assert!(called.get());
}

#[test]
fn clearing_the_queue_frees_tasks_that_hold_it() {
    limit_time();
    let (queue, reports) = queue_with_reports();
    let held = Rc::new(());
    let (inside, inner_queue) = (Rc::clone(&held), queue.clone());
    queue.create_task::<()>(async move {
        let _both = (inside, inner_queue);
        pending().await
    });
    queue.run_until_idle().unwrap();
    queue.clear();
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(*reports.borrow(), ["Task was destroyed but it is pending!"]);
}

#[test]
fn the_last_handle_to_a_queue_can_be_the_one_that_was_entered() {
    /// Wakes a task when this is dropped, which looks up the queue that this thread runs.
    struct WakesOnDrop(Waker);
    impl Drop for WakesOnDrop {
        fn drop(&mut self) {
            self.0.wake_by_ref();
        }
    }
    limit_time();
    let (queue, other) = (ReadyQueue::new().unwrap(), ReadyQueue::new().unwrap());
    let place = Rc::<RefCell<Option<Waker>>>::default();
    let inside = Rc::clone(&place);
    let task = other.create_task(poll_fn(move |context| {
        let before = inside.replace(Some(context.waker().clone()));
        before.map_or(Poll::Pending, |_| Poll::Ready(Ok(())))
    }));
    other.run_until_idle().unwrap();
    let guard = WakesOnDrop(place.borrow().clone().unwrap());
    queue.call_soon(move || drop(guard));
    let entered = queue.enter();
    drop(queue);
    drop(entered);
    other.run_until_idle().unwrap();
    assert!(task.done());
}

#[test]
fn a_task_cannot_run_its_own_queue() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let inner = queue.clone();
    let nests = queue.create_task(async move {
        // The task has woken itself, so its own step is in the queue when it runs the queue.
        poll_fn(|context| {
            context.waker().wake_by_ref();
            Poll::Ready(())
        })
        .await;
        inner.run_ready();
        Ok(())
    });
    queue.run_until_idle().unwrap();
    let error = nests.result().unwrap_err().to_string();
    assert!(error.contains("already running") && error.contains("call_soon"), "{error}");
}

#[test]
fn a_task_can_run_another_queue() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let other = ReadyQueue::new().unwrap();
    let ran = Rc::new(Cell::new(0));
    let count = Rc::clone(&ran);
    queue.create_task(async move {
        other.call_soon(move || count.set(count.get() + 1));
        other.run_until_idle()?;
        Ok(())
    });
    queue.run_until_idle().unwrap();
    assert_eq!(ran.get(), 1);
}

#[test]
fn a_task_of_another_queue_cannot_run_the_queue_in_whose_step_it_runs() {
    limit_time();
    let queue = ReadyQueue::new().unwrap();
    let other = ReadyQueue::new().unwrap();
    let outer = queue.clone();
    let task = queue.create_task(async move {
        let nests = other.create_task(async move {
            outer.run_ready();
            Ok(())
        });
        other.run_until_idle()?;
        nests.result()
    });
    queue.run_until_idle().unwrap();
    let error = task.result().unwrap_err().to_string();
    assert!(error.contains("already running"), "{error}");
}
