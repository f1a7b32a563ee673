//! A queue seen from outside: by an observer, and by code that asks a task for its target.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use step06_tasks::{
    AnyTask, LocalWaker, Observer, Ran, ReadyQueue, WaitsFor, WeakQueue, current_task,
    observe_new_queues, yield_now,
};

type Heard = Rc<RefCell<Vec<String>>>;

/// Notes the calls that it gets, by the names of tasks.
struct Notes {
    name: &'static str,
    heard: Heard,
}

impl Notes {
    fn note(&self, what: &str, ran: &Ran) {
        let ran = match ran {
            Ran::Callback(_) => "callback".to_owned(),
            Ran::Step(task) => task.name(),
            _ => "wake".to_owned(),
        };
        self.heard.borrow_mut().push(format!("{}: {ran} {what}", self.name));
    }
}

impl Observer for Notes {
    fn begins(&self, ran: &Ran) {
        self.note("begins", ran);
    }
    fn has_run(&self, ran: &Ran) {
        self.note("has run", ran);
    }
}

fn take(heard: &Heard) -> Vec<String> {
    heard.take()
}

#[test]
fn an_observer_hears_what_begins_and_what_has_run() {
    let heard = Heard::default();
    let queue = ReadyQueue::new().unwrap();
    queue.set_observer(Some(Rc::new(Notes { name: "one", heard: Rc::clone(&heard) })));
    queue.call_soon(|| {});
    queue.create_task(async { Ok(()) });
    queue.call_soon(|| {}).cancel();
    queue.push(LocalWaker::of(&Context::from_waker(Waker::noop())));
    queue.run_ready();
    let expected = ["callback", "Task-1", "wake"]
        .map(|what| [format!("one: {what} begins"), format!("one: {what} has run")]);
    assert_eq!(take(&heard), expected.concat());
}

#[test]
fn each_queue_that_the_thread_makes_afterwards_is_observed_whoever_makes_it() {
    let heard = Heard::default();
    let before = ReadyQueue::new().unwrap();
    let notes = Rc::clone(&heard);
    observe_new_queues(move |_| Rc::new(Notes { name: "all", heard: Rc::clone(&notes) }));
    for queue in [before, ReadyQueue::new().unwrap(), ReadyQueue::with_eventfd().unwrap()] {
        queue.call_soon(|| {});
        queue.run_ready();
    }
    let once = ["all: callback begins", "all: callback has run"];
    assert_eq!(take(&heard), [once, once].concat());

    let elsewhere = std::thread::spawn(|| {
        let queue = ReadyQueue::new().unwrap();
        queue.call_soon(|| {});
        queue.run_ready()
    });
    assert_eq!(elsewhere.join().unwrap(), 1);
    assert!(take(&heard).is_empty(), "other threads have their own");
}

#[test]
fn the_observer_that_a_program_sets_is_another_one() {
    let heard = Heard::default();
    let notes = Rc::clone(&heard);
    observe_new_queues(move |_| Rc::new(Notes { name: "all", heard: Rc::clone(&notes) }));
    let queue = ReadyQueue::new().unwrap();
    let run = || {
        queue.call_soon(|| {});
        queue.run_ready();
        take(&heard)
    };
    queue.set_observer(Some(Rc::new(Notes { name: "own", heard: Rc::clone(&heard) })));
    let both = ["all: callback begins", "own: callback begins"];
    assert_eq!(run(), [both, ["all: callback has run", "own: callback has run"]].concat());
    queue.set_observer(None);
    assert_eq!(run(), ["all: callback begins", "all: callback has run"]);
}

#[test]
fn an_observer_keeps_its_queue_in_mind_without_keeping_it() {
    struct Looks(WeakQueue, Rc<RefCell<Vec<Option<usize>>>>);
    impl Observer for Looks {
        fn begins(&self, _ran: &Ran) {
            self.1.borrow_mut().push(self.0.upgrade().map(|queue| queue.ready().len()));
        }
        fn has_run(&self, _ran: &Ran) {}
    }
    let (made, seen) = (Rc::new(RefCell::new(Vec::new())), Rc::<RefCell<Vec<_>>>::default());
    let (noted, looks) = (Rc::clone(&made), Rc::clone(&seen));
    observe_new_queues(move |queue| {
        noted.borrow_mut().push(queue.downgrade());
        Rc::new(Looks(queue.downgrade(), Rc::clone(&looks)))
    });
    let queue = ReadyQueue::new().unwrap();
    queue.call_soon(|| {});
    queue.call_soon(|| {});
    queue.run_ready();
    assert_eq!(*seen.borrow(), [Some(1), Some(0)], "what begins has left the queue");
    assert!(made.borrow()[0].upgrade().is_some());
    drop(queue);
    assert!(made.borrow()[0].upgrade().is_none());
}

#[test]
fn a_task_says_what_it_waits_for_unless_it_can_go_on() {
    let queue = ReadyQueue::new().unwrap();
    let future = queue.create_future::<()>();
    let inner = queue.create_task(future.clone());
    let outer = queue.create_task(inner.clone());
    let yields = queue.create_task(yield_now());
    let sleeps = queue.create_task::<()>(std::future::pending());
    let running = queue.create_task(async { Ok(current_task().unwrap().waits_for()) });
    let tasks = [&inner.any(), &outer.any(), &yields.any(), &sleeps.any()].map(AnyTask::clone);
    let waits = || tasks.clone().map(|task| task.waits_for());
    assert_eq!(waits(), [const { None }; 4], "none has begun");
    queue.run_ready();
    let waits_for_inner = Some(WaitsFor::Task(inner.any()));
    let future_and_task = [Some(WaitsFor::Future), waits_for_inner];
    assert_eq!(waits()[..2], future_and_task);
    assert_eq!(waits()[2..], [None, Some(WaitsFor::Leaf)], "one that yields is ready again");
    assert_eq!(running.result().unwrap(), None);
    queue.run_ready();
    assert_eq!(yields.any().waits_for(), None, "it has ended");

    future.set_result(()).unwrap();
    assert_eq!(inner.any().waits_for(), None, "it's in the queue");
    queue.run_ready();
    assert!(inner.done());
    assert_eq!(outer.any().waits_for(), None, "the end of the other has queued it");
    queue.clear();
    assert_eq!(sleeps.any().waits_for(), None, "its queue has dropped it");
}

#[test]
fn a_task_can_be_asked_between_the_end_of_what_it_waits_for_and_its_wake_up() {
    struct Asks(AtomicUsize);
    thread_local! {
        static OUTER: RefCell<Option<AnyTask>> = const { RefCell::new(None) };
        static ANSWER: RefCell<Option<WaitsFor>> = const { RefCell::new(None) };
    }
    impl Wake for Asks {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
            ANSWER.set(OUTER.with_borrow(|outer| outer.as_ref().and_then(AnyTask::waits_for)));
        }
    }
    let queue = ReadyQueue::new().unwrap();
    let future = queue.create_future::<()>();
    let inner = queue.create_task(future.clone());
    let asks = Arc::new(Asks(AtomicUsize::new(0)));
    let mut polled = inner.future();
    let waker = Waker::from(Arc::clone(&asks));
    let poll = std::pin::Pin::new(&mut polled);
    assert!(std::future::Future::poll(poll, &mut Context::from_waker(&waker)).is_pending());
    let outer = queue.create_task(inner.clone());
    OUTER.set(Some(outer.any()));
    queue.run_ready();
    future.set_result(()).unwrap();
    queue.run_ready();
    assert_eq!(asks.0.load(Ordering::Relaxed), 1, "the waker comes before the task");
    assert_eq!(ANSWER.take(), Some(WaitsFor::Future), "the task that it waits for has ended");
    OUTER.set(None);
    queue.run_ready();
    assert!(outer.done());
}
