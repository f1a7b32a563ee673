//! A request to end reaches the coroutine, even if the coroutine has polled a future or a task and
//! then waits for something else: a leaf that the queue doesn't know.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use step06_tasks::{Drain, Error, Future, ReadyQueue, Result, Task, check_cancelled, yield_now};

/// Polls a future once and returns it.
async fn poll_once<F: std::future::Future + Unpin>(mut future: F) -> F {
    poll_fn(|context| {
        let _ = Pin::new(&mut future).poll(context);
        Poll::Ready(())
    })
    .await;
    future
}

/// A hand-written leaf, which is never ready and only delivers a cancellation.
async fn leaf() -> Result<()> {
    poll_fn(|_| match check_cancelled() {
        Err(error) => Poll::Ready(Err(error)),
        Ok(()) => Poll::Pending,
    })
    .await
}

fn queue() -> ReadyQueue {
    ReadyQueue::new().expect("a queue")
}

/// Runs the queue, cancels the task, and runs the queue again.
fn cancel_while_it_waits(queue: &ReadyQueue, task: &Task<()>) {
    queue.run_until_idle().expect("the queue runs");
    assert!(task.cancel());
    queue.run_until_idle().expect("the queue runs");
}

#[test]
fn a_future_that_was_given_up_keeps_no_cancellation() {
    let queue = queue();
    let future: Future<()> = queue.create_future();
    let given_up = future.clone();
    let task = queue.create_task(async move {
        drop(poll_once(given_up).await);
        leaf().await
    });
    cancel_while_it_waits(&queue, &task);
    assert!(task.cancelled());
    assert!(!future.cancelled(), "the task didn't wait for it any more");
}

#[test]
fn a_future_that_is_kept_keeps_no_cancellation() {
    let queue = queue();
    let kept: Future<()> = queue.create_future();
    let task = queue.create_task(async move {
        let _kept = poll_once(kept).await;
        leaf().await
    });
    cancel_while_it_waits(&queue, &task);
    assert!(task.cancelled());
}

#[test]
fn a_handle_that_another_task_has_taken_over_isnt_cancelled_with_the_first() {
    let queue = queue();
    let future: Future<()> = queue.create_future();
    let (given, taken) = (Rc::new(Cell::new(Some(future.clone()))), Rc::<Cell<_>>::default());
    let place = Rc::clone(&taken);
    let first = queue.create_task(async move {
        if let Some(future) = given.take() {
            place.set(Some(poll_once(future).await));
        }
        leaf().await
    });
    let second = queue.create_task(async move { taken.take().expect("a future").await });
    cancel_while_it_waits(&queue, &first);
    assert!(first.cancelled());
    assert!(!future.cancelled(), "the second task waits for it");
    assert!(second.cancel(), "and its cancellation is passed on");
    assert!(future.cancelled());
}

#[test]
fn a_task_that_was_given_up_isnt_cancelled_in_place_of_the_other() {
    let queue = queue();
    let background = queue.create_task(leaf());
    let given_up = background.clone();
    let task = queue.create_task(async move {
        drop(poll_once(given_up).await);
        leaf().await
    });
    cancel_while_it_waits(&queue, &task);
    assert!(task.cancelled());
    assert!(!background.done());
    assert_eq!(background.cancelling(), 0);
    queue.set_exception_handler(|_| {});
    queue.clear();
}

#[test]
fn a_task_that_is_kept_keeps_no_cancellation() {
    let queue = queue();
    let kept = queue.create_task(leaf());
    let task = queue.create_task(async move {
        let _kept = poll_once(kept).await;
        leaf().await
    });
    cancel_while_it_waits(&queue, &task);
    assert!(task.cancelled());
}

#[test]
fn an_error_of_its_own_counts_more_than_a_pending_request() {
    let queue = queue();
    let itself: Rc<RefCell<Option<Task<()>>>> = Rc::default();
    let inside = Rc::clone(&itself);
    let task = queue.create_task(async move {
        if let Some(task) = inside.take() {
            task.cancel();
        }
        Err(Error::other("no such user"))
    });
    itself.replace(Some(task.clone()));
    queue.run_until_idle().expect("the queue runs");
    assert_eq!(task.cancelling(), 1);
    assert!(matches!(task.result(), Err(Error::Other(_))));
}

#[test]
fn one_request_is_one_error() {
    let queue = queue();
    let errors = Rc::new(Cell::new(0));
    let (kept, counter): (Future<()>, _) = (queue.create_future(), Rc::clone(&errors));
    let task = queue.create_task(async move {
        let _kept = poll_once(kept).await;
        for outcome in [leaf().await, yield_now().await, yield_now().await] {
            counter.set(counter.get() + i32::from(outcome.is_err()));
        }
        Ok(())
    });
    cancel_while_it_waits(&queue, &task);
    assert_eq!(errors.get(), 1);
    assert!(matches!(task.result(), Ok(())));
}

#[test]
fn an_inner_task_that_ignores_the_request_has_consumed_it() {
    let queue = queue();
    let inner = queue.create_task(async {
        let _ignored = leaf().await;
        Ok(())
    });
    let task = queue.create_task(async move {
        inner.await?;
        yield_now().await
    });
    cancel_while_it_waits(&queue, &task);
    assert!(matches!(task.result(), Ok(())));
}

#[test]
fn a_leaf_that_knows_no_requests_leaves_the_queue_idle() {
    let queue = queue();
    let (polls, over) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(None)));
    let (counter, waker) = (Rc::clone(&polls), Rc::clone(&over));
    let task = queue.create_task(async move {
        poll_fn(|context| {
            counter.set(counter.get() + 1);
            match waker.replace(Some(context.waker().clone())) {
                Some(_) if counter.get() > 2 => Poll::Ready(()),
                _ => Poll::Pending,
            }
        })
        .await;
        yield_now().await
    });
    queue.run_until_idle().expect("the queue runs");
    assert!(task.cancel());
    for _ in 0..9 {
        queue.take_remote(Drain::Pipe).expect("the inbox can be drained");
        queue.run_ready();
    }
    assert_eq!(polls.get(), 2);
    over.borrow().as_ref().expect("it waits").wake_by_ref();
    queue.run_until_idle().expect("the queue runs");
    assert!(task.cancelled());
}

#[test]
fn a_coroutine_that_ends_without_another_wait_ends_cancelled() {
    let queue = queue();
    let (kept, over) = (queue.create_future::<()>(), Rc::new(Cell::new(false)));
    let is_over = Rc::clone(&over);
    let task = queue.create_task(async move {
        let _kept = poll_once(kept).await;
        // This leaf doesn't know cancellation.
        poll_fn(|_| if is_over.get() { Poll::Ready(()) } else { Poll::Pending }).await;
        Ok(())
    });
    queue.run_until_idle().expect("the queue runs");
    over.set(true);
    assert!(task.cancel());
    queue.run_until_idle().expect("the queue runs");
    assert!(task.cancelled());
}
