//! The waker of step 06, and a queue whose steps only read the values that two threads publish:
//! loom tries every order in which the threads and the loop can proceed, and every value that its
//! model of memory allows them to read.

#![forbid(unsafe_code)]
#![cfg(test)]

use std::sync::Arc;
use std::task::Wake;

use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;

use remote::{Message, QueueHandle, QueueId};
use wakers::TaskWaker;

#[allow(dead_code, unreachable_pub, reason = "the test needs only a part")]
mod wakers {
    include!(concat!(env!("OUT_DIR"), "/wakers.rs"));
}

/// Replaces the layer's module: no queue is entered on these threads.
mod current_queue {
    use std::cell::RefCell;

    pub(crate) struct ReadyQueue {
        pub(crate) shared: QueueBody,
    }

    pub(crate) struct QueueBody {
        pub(crate) id: super::QueueId,
    }

    impl ReadyQueue {
        #[allow(clippy::unused_self, reason = "the layer's method takes it")]
        pub(crate) fn wake(&self, _: super::any_task::TaskId) {}
    }

    std::thread_local! {
        pub(crate) static CURRENT_QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
    }
}

mod any_task {
    pub(crate) type TaskId = u64;
}

/// Replaces the layer's module: the inbox of step 05, without its pipe.
mod remote {
    use std::sync::Arc;

    use loom::sync::Mutex;

    use crate::wakers::TaskWaker;

    pub(crate) enum Message {
        Wake(Arc<TaskWaker>),
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(crate) struct QueueId;

    #[derive(Clone)]
    pub(crate) struct QueueHandle {
        inbox: Arc<Mutex<Vec<Message>>>,
    }

    impl QueueHandle {
        pub(crate) fn new() -> Self {
            QueueHandle { inbox: Arc::new(Mutex::new(Vec::new())) }
        }

        #[allow(clippy::unused_self, reason = "the layer's method takes it")]
        pub(crate) fn id(&self) -> QueueId {
            QueueId
        }

        pub(crate) fn send(&self, message: Message) {
            self.inbox.lock().expect("no thread panics").push(message);
        }

        pub(crate) fn take(&self) -> Vec<Message> {
            std::mem::take(&mut *self.inbox.lock().expect("no thread panics"))
        }
    }
}

/// Two threads each publish a value and wake the task, while the queue takes its messages once.
/// Once the threads have ended and the queue has taken its messages again, the task's last step has
/// seen both values.
#[test]
fn the_last_step_sees_what_was_published_before_each_wake() {
    loom::model(|| {
        let queue = QueueHandle::new();
        let own = TaskWaker::new(0, queue.clone());
        own.wake_by_ref();
        let first = queue.take();
        let [Message::Wake(waker)] = first.as_slice() else { panic!("one wake-up, one message") };
        let waker: Arc<TaskWaker> = Arc::clone(waker);
        waker.has_arrived();

        let published = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let threads = [0, 1].map(|number| {
            let (waker, published) = (Arc::clone(&waker), Arc::clone(&published));
            thread::spawn(move || {
                published[number].store(1, Relaxed);
                waker.wake_by_ref();
            })
        });
        let mut seen = [0, 0];
        let mut take_and_step = || {
            let messages = queue.take();
            let is_woken = !messages.is_empty();
            for Message::Wake(waker) in messages {
                waker.has_arrived();
            }
            if is_woken {
                seen = [0, 1].map(|number| published[number].load(Relaxed));
            }
        };
        take_and_step();
        for thread in threads {
            thread.join().expect("the thread ends");
        }
        take_and_step();
        assert_eq!(seen, [1, 1], "a wake-up was lost");
    });
}
