//! The end of queues: destructors of items. The random programs of `differential` compare what else
//! a shutdown does with CPython 3.13 or later, which CI has.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::common::reports_of;
use crate::support::{refusal, start, ticks};
use asyncio::{EventLoop, Queue, Result, SyncError};
use kit::limit_time;

fn is_shut_down<T>(outcome: Result<T>) -> bool {
    refusal(outcome) == Some(SyncError::QueueShutDown)
}

/// An item's destructor can use the queue, even in the middle of a shutdown.
#[test]
fn the_destructor_of_an_item_uses_the_queue() {
    struct Looks(Rc<Queue<Looks>>, Rc<Cell<usize>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.1.set(self.1.get() + 10 + self.0.qsize());
        }
    }
    let (queue, seen) = (Rc::new(Queue::new(2)), Rc::new(Cell::new(0)));
    let item = || Looks(Rc::clone(&queue), Rc::clone(&seen));
    queue.put_nowait(item()).unwrap();
    queue.put_nowait(item()).unwrap();
    assert_eq!(refusal(queue.put_nowait(item())), Some(SyncError::QueueFull));
    assert_eq!(seen.get(), 12);
    queue.shutdown(true);
    assert_eq!(seen.get(), 12 + 10 + 10, "the items are gone before any is dropped");
    assert!(is_shut_down(queue.put_nowait(item())));
    assert_eq!(seen.get(), 12 + 10 + 10 + 10);
}

/// Panics when it's dropped, if its field is true.
struct Panics(bool);

impl Drop for Panics {
    fn drop(&mut self) {
        if self.0 {
            resume_unwind(Box::new("an item"));
        }
    }
}

#[test]
fn an_item_whose_destructor_panics_spares_the_others_and_those_who_wait() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let reports = reports_of(&event_loop);
    let is_refused = event_loop.run(async {
        let queue = Rc::new(Queue::new(2));
        queue.put_nowait(Panics(true))?;
        queue.put_nowait(Panics(true))?;
        let [joins, puts] = [(); 2].map(|()| Rc::clone(&queue));
        let join = start(async move { joins.join().await });
        let put = start(async move { puts.put(Panics(false)).await });
        ticks(1).await;
        queue.shutdown(true);
        join.await?;
        Ok(is_shut_down(put.await))
    });
    assert!(is_refused.unwrap());
    assert_eq!(*reports.borrow(), ["Exception in a destructor: panicked: an item"; 2]);
}
