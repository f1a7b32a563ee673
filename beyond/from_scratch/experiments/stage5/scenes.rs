//! Scenes about ends: what happens to the other tasks, to a panic and to the remaining wakers, and
//! what destructors may do.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use from_scratch::{JoinHandle, block_on, readable, sleep, spawn, writable};
use kit::{Sleeper, WakerCall, anybodys_waker};
use scene::{Transcript, say, scene};

use crate::waiting::{Gate, own_waker, times, yield_now};
use crate::watch::{self, watched};

/// Adds a line when it's dropped.
struct Says {
    what: &'static str,
    list: Rc<RefCell<Vec<String>>>,
}

impl Drop for Says {
    fn drop(&mut self) {
        let thread = thread::current().id() == main_thread();
        let elsewhere = if thread { "" } else { ", on another thread" };
        self.list.borrow_mut().push(format!("{} is dropped{elsewhere}", self.what));
    }
}

/// Returns the thread on which the scene runs: a scene with a [`Says`] calls this at its beginning.
fn main_thread() -> thread::ThreadId {
    use std::sync::OnceLock;
    static MAIN: OnceLock<thread::ThreadId> = OnceLock::new();
    *MAIN.get_or_init(|| thread::current().id())
}

scene!(
    main_ends_first,
    "block_on's future ends while some tasks wait, others sleep, and others are ready. What becomes of all these tasks?"
);
/// The tasks are dropped, on the loop's thread, before `block_on` returns. That includes a task
/// that has never been polled.
fn main_ends_first(t: Transcript) -> anyhow::Result<()> {
    main_thread();
    let list = Rc::new(RefCell::new(Vec::new()));
    let says = |what| Says { what, list: Rc::clone(&list) };
    let (ready, sleeping, waiting, reading, new) = (
        says("a task that's ready"),
        says("a task that sleeps"),
        says("a task that waits"),
        says("a task that reads"),
        says("a task that has never run"),
    );
    let (reader, writer) = std::io::pipe()?;
    block_on(async move {
        drop(spawn(async move {
            let _ready = ready;
            loop {
                yield_now().await;
            }
        }));
        drop(spawn(async move {
            let _sleeping = sleeping;
            sleep(Duration::from_hours(1)).await;
        }));
        drop(spawn(async move {
            let _waiting = waiting;
            pending::<()>().await;
        }));
        drop(spawn(async move {
            let _reading = reading;
            let _ = readable(&reader).await;
        }));
        for _ in 0..3 {
            yield_now().await;
        }
        drop(spawn(async move { drop(new) }));
    });
    let mut said = list.take();
    // The contract doesn't promise an order.
    said.sort();
    for line in said {
        say!(t, "{line}");
    }
    drop(writer);
    Ok(())
}

scene!(a_task_panics, "A task panics. Where does the panic go?");
/// The panic goes to the task that awaits the panicked task's handle: the handle returns an `Err`
/// with the panic's payload. No other code notices the panic: the loop and the other tasks run on,
/// and the values that the task owned are dropped.
fn a_task_panics(t: Transcript) -> anyhow::Result<()> {
    main_thread();
    let list = Rc::new(RefCell::new(Vec::new()));
    let held = Says { what: "the task's value", list: Rc::clone(&list) };
    let main = async {
        let panics = spawn(async move {
            let _held = held;
            yield_now().await;
            // Like panic!, but without a message on standard error.
            resume_unwind(Box::new("oh no"));
        });
        let other = spawn(async {
            for _ in 0..10 {
                yield_now().await;
            }
            "the other task has run on"
        });
        let returned: thread::Result<()> = panics.await;
        match returned {
            Ok(()) => say!(t, "the handle returns Ok"),
            Err(panic) => say!(t, "the handle returns Err: {:?}", panic.downcast_ref::<&str>()),
        }
        say!(t, "{}", other.await.unwrap_or("the other task is gone"));
        let unseen: JoinHandle<()> = spawn(async { resume_unwind(Box::new("nobody awaits it")) });
        drop(unseen);
        sleep(Duration::from_millis(1)).await;
        say!(t, "the loop runs on after a panic whose task isn't awaited");
        let mut told = 0;
        for _ in 0..10 {
            let panics: JoinHandle<()> = spawn(async { resume_unwind(Box::new("again")) });
            told += usize::from(panics.await.is_err());
        }
        say!(t, "{told} of another ten handles return Err");
    };
    if catch_unwind(AssertUnwindSafe(|| block_on(main))).is_err() {
        say!(t, "the task's panic leaves block_on");
    }
    for line in list.take() {
        say!(t, "{line}");
    }
    Ok(())
}

scene!(main_panics, "block_on's own future panics. What becomes of the panic and of the tasks?");
/// The panic leaves `block_on`. On its way, the tasks are dropped, and the next `block_on` on this
/// thread isn't affected.
fn main_panics(t: Transcript) -> anyhow::Result<()> {
    main_thread();
    let list = Rc::new(RefCell::new(Vec::new()));
    let held = Says { what: "a task", list: Rc::clone(&list) };
    let run = catch_unwind(AssertUnwindSafe(|| {
        block_on(async move {
            drop(spawn(async move {
                let _held = held;
                pending::<()>().await;
            }));
            yield_now().await;
            resume_unwind(Box::new("oh no"));
        });
    }));
    let panic = run.err().and_then(|panic| panic.downcast_ref::<&str>().copied());
    say!(t, "the panic leaves block_on: {panic:?}");
    for line in list.take() {
        say!(t, "{line}");
    }
    let again = block_on(async { spawn(async { 7 }).await.unwrap_or(0) });
    say!(t, "the next block_on returns {again}");
    Ok(())
}

scene!(again_and_at_once, "Can block_on run again, and on two threads at once?");
/// `block_on` can do both. Each run has its own tasks, which run on its thread, and neither run
/// affects the other.
fn again_and_at_once(t: Transcript) -> anyhow::Result<()> {
    for _ in 0..3 {
        block_on(async {
            drop(spawn(pending::<()>()));
            sleep(Duration::from_millis(1)).await;
        });
    }
    say!(t, "three runs end, one after the other");
    let both_run = Arc::new(Barrier::new(2));
    let threads = [1, 2].map(|number| {
        let both_run = Arc::clone(&both_run);
        thread::spawn(move || {
            block_on(async move {
                // Make sure that both threads are in their `block_on` at the same time.
                both_run.wait();
                let here = thread::current().id();
                let task = spawn(async move {
                    sleep(Duration::from_millis(5)).await;
                    (number, thread::current().id() == here)
                });
                let told = task.await;
                both_run.wait();
                told
            })
        })
    });
    for thread in threads {
        match thread.join() {
            Ok(Ok((number, true))) => {
                say!(t, "simultaneous run {number}: its task ran on its own thread");
            }
            Ok(Ok((number, false))) => {
                say!(t, "simultaneous run {number}: its task ran on another thread");
            }
            _ => say!(t, "a simultaneous run panicked"),
        }
    }
    Ok(())
}

scene!(
    from_one_loop_to_another,
    "Two threads are in a block_on each. A task on the one thread wakes a task on the other, whose loop sleeps. Does that loop notice?"
);
/// The loop notices. A wake belongs to the loop of its task, so it ends that loop's sleep, even if
/// the waking thread runs a loop itself.
fn from_one_loop_to_another(t: Transcript) -> anyhow::Result<()> {
    let gate = Gate::default();
    let waits = gate.clone();
    let sleeper = Sleeper::start(move || {
        let task = block_on(async { spawn(async move { waits.passed().await }).await });
        if task.is_ok() { "its task runs on".to_owned() } else { "its task panicked".to_owned() }
    })?;
    while gate.waiting() == 0 {
        thread::yield_now();
    }
    sleeper.wait_until_asleep()?;
    block_on(async {
        let opens = gate.clone();
        let _ = spawn(async move { opens.open() }).await;
        say!(t, "a loop has woken the other loop's task");
        say!(t, "the other loop: {}", sleeper.join()?);
        anyhow::Ok(())
    })
}

scene!(
    a_destructor_panics_at_the_end,
    "A task is dropped at the loop's end, and its destructor panics. What happens then?"
);
/// The panic leaves `block_on`, as a panic of `block_on`'s own future does. Afterwards, the thread
/// is outside of the loop again, since the loop leaves its thread in any case.
fn a_destructor_panics_at_the_end(t: Transcript) -> anyhow::Result<()> {
    let run = || {
        block_on(async {
            drop(spawn(async {
                let _does = Does(Some(|| resume_unwind(Box::new("oh no"))));
                pending::<()>().await;
            }));
            yield_now().await;
            yield_now().await;
        });
    };
    let panic = catch_unwind(run).err().and_then(|panic| panic.downcast_ref::<&str>().copied());
    say!(t, "the panic leaves block_on: {panic:?}");
    say!(t, "spawn after that: {}", outcome_of(|| drop(spawn(async {}))));
    let again = block_on(async { spawn(async { 7 }).await.unwrap_or(0) });
    say!(t, "the next block_on returns {again}");
    Ok(())
}

/// Describes whether a call panics.
fn outcome_of(call: impl FnOnce()) -> &'static str {
    // The hook would report the panic, although this panic is intentional.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let called = catch_unwind(AssertUnwindSafe(call));
    std::panic::set_hook(hook);
    if called.is_err() { "panics" } else { "doesn't panic" }
}

scene!(
    outside_of_block_on,
    "What do spawn, sleep, readable and writable do when no loop is running?"
);
/// The calls panic, either at once or at the first poll: a task that no loop would ever poll is a
/// mistake that should be noticed. After a `block_on`, its thread is outside of the loop again.
fn outside_of_block_on(t: Transcript) -> anyhow::Result<()> {
    for when in ["before any run", "after a run"] {
        let calls: [(&str, fn()); 4] = [
            ("spawn", || drop(spawn(async {}))),
            ("sleep", || poll_once(sleep(Duration::from_millis(1)))),
            ("readable", || poll_once(readable(std::io::stdin()))),
            ("writable", || poll_once(writable(std::io::stdout()))),
        ];
        for (name, call) in calls {
            say!(t, "{name} {when}: {}", outcome_of(call));
        }
        block_on(async { yield_now().await });
    }
    Ok(())
}

fn poll_once<T>(future: impl Future<Output = T>) {
    let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
}

scene!(
    late_wakes,
    "Some wakers outlive their tasks and the loop. What happens when such a waker is called?"
);
/// The wake has no effect, no matter which thread it comes from and whether it comes before the
/// next run, during that run or after it. A descriptor that the loop has closed isn't the loop's
/// any more: its number may belong to somebody else by now.
fn late_wakes(t: Transcript) -> anyhow::Result<()> {
    let wakers = block_on(async {
        let of_a_task = spawn(own_waker()).await;
        let of_main = own_waker().await;
        let unfinished = Rc::new(RefCell::new(None));
        let stores = Rc::clone(&unfinished);
        drop(spawn(async move {
            *stores.borrow_mut() = Some(own_waker().await);
            pending::<()>().await;
        }));
        yield_now().await;
        yield_now().await;
        of_a_task.into_iter().chain([of_main]).chain(unfinished.take()).collect::<Vec<Waker>>()
    });
    say!(t, "{} wakers are left", wakers.len());
    // These copies get the numbers of the descriptors that the loop has closed.
    let (reader, writer) = io::pipe()?;
    let _copies = (0..32).map(|_| writer.try_clone()).collect::<io::Result<Vec<_>>>()?;
    wakers.iter().for_each(Waker::wake_by_ref);
    let for_a_thread = wakers.clone();
    let woke = thread::spawn(move || for_a_thread.iter().for_each(Waker::wake_by_ref)).join();
    watch::begin();
    block_on(watched("main", async {
        let task = spawn(watched("a task of the next run", async {
            for _ in 0..3 {
                yield_now().await;
            }
        }));
        wakers.iter().for_each(Waker::wake_by_ref);
        let _ = task.await;
    }));
    wakers.into_iter().for_each(Waker::wake);
    say!(t, "all wakers have been used; a thread could use them: {}", woke.is_ok());
    say!(t, "in the next run, main is polled {}", times(watch::polls("main")));
    let bytes = rustix::io::ioctl_fionread(&reader)?;
    say!(t, "bytes in a pipe that the program has opened since: {bytes}");
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

scene!(
    a_late_wake_and_a_new_task,
    "A task has ended, and a new task takes its place. Then the first task's waker is called. Is any task polled?"
);
/// No task is polled: however a loop numbers its tasks, no task inherits another task's wake.
fn a_late_wake_and_a_new_task(t: Transcript) -> anyhow::Result<()> {
    watch::begin();
    block_on(watched("main", async {
        for _ in 0..50 {
            let late = spawn(own_waker()).await;
            let gate = Gate::default();
            let waits = gate.clone();
            let successor = spawn(watched("the successor", async move { waits.passed().await }));
            yield_now().await;
            yield_now().await;
            if let Ok(waker) = late {
                waker.wake_by_ref();
                yield_now().await;
                waker.wake();
            }
            yield_now().await;
            gate.open();
            let _ = successor.await;
            watch::forget("the successor");
        }
    }));
    let complaints = watch::complaints();
    if complaints.is_empty() {
        say!(t, "fifty times: no task is polled");
    }
    for complaint in complaints {
        say!(t, "{complaint}");
    }
    Ok(())
}

/// Runs a function when it's dropped.
struct Does<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for Does<F> {
    fn drop(&mut self) {
        if let Some(does) = self.0.take() {
            does();
        }
    }
}

scene!(
    destructors_that_do_things,
    "A task's destructor spawns a task, wakes another task and begins to wait. Does the loop run on?"
);
/// The loop copes, both when the task ends and when the task is dropped at the loop's end: the loop
/// borrows nothing while foreign code runs. Tasks that are spawned so late are dropped. The future
/// of `block_on` is dropped inside the loop, too, so its destructor can do the same.
fn destructors_that_do_things(t: Transcript) -> anyhow::Result<()> {
    main_thread();
    let list = Rc::new(RefCell::new(Vec::new()));
    let late = Says { what: "the task that a destructor has spawned", list: Rc::clone(&list) };
    let gate = Gate::default();
    block_on(async {
        let (opens, waits) = (gate.clone(), gate.clone());
        let other = spawn(async move { waits.passed().await });
        yield_now().await;
        drop(spawn(async move {
            // This value is dropped with the task's future, at the task's end.
            let _does = Does(Some(move || {
                do_what_there_is();
                opens.open();
            }));
            yield_now().await;
        }));
        let _ = other.await;
        say!(t, "at a task's end, a destructor has spawned a task and woken another");
        let kept = spawn(pending::<()>());
        drop(spawn(async move {
            let _does = Does(Some(move || {
                drop(kept);
                do_what_there_is();
                let nap = sleep(Duration::from_hours(1));
                drop(spawn(async move {
                    let _late = late;
                    nap.await;
                }));
            }));
            pending::<()>().await;
        }));
        let (reader, _writer) = std::io::pipe().map(|(reader, writer)| (Some(reader), writer))?;
        drop(spawn(async move {
            let nap = sleep(Duration::from_hours(1));
            let _does = Does(Some(move || {
                drop(nap);
                drop(reader);
            }));
            pending::<()>().await;
        }));
        yield_now().await;
        yield_now().await;
        anyhow::Ok(())
    })?;
    say!(t, "at the loop's end, block_on has returned");
    let of_main =
        Says { what: "the task that main's destructor has spawned", list: Rc::clone(&list) };
    block_on(Ends(Does(Some(move || {
        do_what_there_is();
        drop(spawn(async move {
            let _of_main = of_main;
            pending::<()>().await;
        }));
    }))));
    say!(t, "main has been dropped inside the loop");
    for line in list.take() {
        say!(t, "{line}");
    }
    Ok(())
}

/// A future that has ended at its first poll but keeps a value until it's dropped.
struct Ends<T>(T);

impl<T> Future for Ends<T> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// Spawns a task and begins a wait of each kind. Each of these is polled once and then dropped.
fn do_what_there_is() {
    poll_once(spawn(async {}));
    poll_once(sleep(Duration::from_hours(1)));
    if let Ok((reader, _writer)) = io::pipe() {
        poll_once(readable(&reader));
    }
}

scene!(
    wakes_that_do_things,
    "A waker spawns, sleeps and waits whenever it's cloned, called or dropped. Does the loop run on?"
);
/// The loop copes: a task that awaits a handle, a sleep or a descriptor can use its own waker, and
/// the loop borrows nothing while it clones, wakes or drops a waker.
fn wakes_that_do_things(t: Transcript) -> anyhow::Result<()> {
    block_on(async {
        let (reader, mut writer) = io::pipe()?;
        let gate = Gate::default();
        let waits = gate.clone();
        let handle = spawn(async move { waits.passed().await });
        RUNS.set(true);
        let waker = anybodys_waker(spawn_one);
        let mut handle = Box::pin(handle);
        let mut nap = Box::pin(sleep(Duration::from_millis(1)));
        let mut wait = Box::pin(readable(&reader));
        for _ in 0..2 {
            let mut context = Context::from_waker(&waker);
            let _ = Future::poll(handle.as_mut(), &mut context);
            let _ = wait.as_mut().poll(&mut context);
            // The sleep may be over, in which case it mustn't be polled again.
            if nap.as_mut().poll(&mut context).is_ready() {
                nap = Box::pin(sleep(Duration::from_millis(1)));
            }
        }
        gate.open();
        writer.write_all(b"!")?;
        sleep(Duration::from_millis(5)).await;
        drop((handle, nap, wait));
        // These waits aren't over when they're dropped, so the loop has to drop a waker for each of
        // them.
        let (reader, _writer) = io::pipe()?;
        let mut context = Context::from_waker(&waker);
        let _ = Future::poll(pin!(spawn(pending::<()>())), &mut context);
        let _ = pin!(sleep(Duration::from_hours(1))).poll(&mut context);
        let _ = pin!(readable(&reader)).poll(&mut context);
        drop(waker);
        RUNS.set(false);
        anyhow::Ok(())
    })?;
    say!(t, "the wakers spawned tasks: {}", SPAWNED.get() > 0);
    Ok(())
}

thread_local! {
    static RUNS: Cell<bool> = const { Cell::new(false) };
    static SPAWNED: Cell<usize> = const { Cell::new(0) };
}

fn spawn_one(_: WakerCall) {
    if RUNS.get() {
        drop(spawn(async { SPAWNED.set(SPAWNED.get() + 1) }));
        do_what_there_is();
    }
}
