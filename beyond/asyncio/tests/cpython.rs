//! CPython's answers where this library differs from CPython's, on purpose or because of Python.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::future::Future;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

use asyncio::{
    Error, Event, EventLoopExt as _, Lock, Queue, Result, create_task, gather,
    gather_return_exceptions, get_running_loop, open_connection_on, run, sleep, timeout, to_thread,
    yield_now,
};
use kit::limit_time;

/// Runs a program in `tests/python/facts`, if CPython is installed, and checks what it prints.
fn assert_cpython_says(program: &str, expected: &str) {
    assert_cpython_says_one_of(program, &[expected]);
}

/// Checks that the program prints one of these lines. There can be several, because builds differ.
fn assert_cpython_says_one_of(program: &str, expected: &[&str]) {
    let program = format!("python/facts/{program}.py");
    let directory = env!("CARGO_MANIFEST_DIR");
    let said = author::twins::ask_cpython(directory, env!("CARGO_PKG_NAME"), &program);
    if let Some(said) = said {
        assert!(expected.contains(&said.trim_end()), "{program} says:\n{said}");
    }
}

#[test]
fn a_task_for_each_job_takes_far_more_memory_than_a_queue_and_workers() {
    assert_cpython_says("permits_or_workers", "more than fifty times as much memory: True");
}

#[test]
fn a_release_that_awaits_can_itself_be_cancelled() {
    assert_cpython_says(
        "a_release_that_awaits",
        "cancellations: 1; in the pool: 1\ncancellations: 2; in the pool: 0",
    );
}

/// CPython takes an index from the number of tasks inside, which a cancelled task lowers; still so
/// in August 2026. Our indices are in `sync/barrier.rs`.
#[test]
fn two_tasks_of_a_meeting_can_have_the_same_index_in_cpython() {
    assert_cpython_says("an_index_of_a_barrier", "[1, 1, 2]");
}

#[test]
fn a_server_without_a_host_listens_on_both_families_with_a_socket_each() {
    limit_time();
    let server = asyncio::run(async {
        let server = asyncio::start_server(|_, _| async { Ok(()) }, ("", 0)).await?;
        Ok(server.local_addrs()?.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>())
    });
    let server = server.unwrap();
    assert!([vec!["0.0.0.0", "::"], vec!["0.0.0.0"]].iter().any(|it| *it == server), "{server:?}");
    assert_cpython_says_one_of(
        "a_server_without_a_host",
        &["AF_INET 0.0.0.0 \nAF_INET6 :: and nothing of IPv4", "AF_INET 0.0.0.0"],
    );
}

/// A second request to end, which comes after the first and before the task's next step.
enum Then<'a> {
    Cancel(&'a str),
    CancelWithoutMessage,
    Uncancel,
}

/// Cancels a task that waits and prints the message that comes out of it.
async fn two_requests<T: Clone + 'static>(
    name: &str,
    waits: impl Future<Output = Result<T>> + 'static,
    then: Then<'_>,
) -> Result<String> {
    let task = create_task(waits)?;
    yield_now().await?;
    task.cancel_with("first");
    match then {
        Then::Cancel(message) => drop(task.cancel_with(message)),
        Then::CancelWithoutMessage => drop(task.cancel()),
        Then::Uncancel => drop(task.uncancel()),
    }
    Ok(match task.await {
        Err(Error::Cancelled(Some(message))) => format!("{name}: {message}"),
        other => format!("{name}: {:?}", other.map(|_| ())),
    })
}

async fn two_requests_in_each_leaf() -> Result<Vec<String>> {
    let hour = Duration::from_hours(1);
    let (lock, event, queue) =
        (Rc::new(Lock::new()), Rc::new(Event::new()), Rc::new(Queue::new(0)));
    lock.acquire().await?;
    let (one, other) = UnixStream::pair()?;
    one.set_nonblocking(true)?;
    let _stays_open = one.try_clone()?;
    let (mut reader, _writer) = open_connection_on(other)?;
    let (gate, opened) = mpsc::channel::<()>();
    let event_loop = get_running_loop()?;
    let second = || Then::Cancel("second");
    let said = vec![
        two_requests("sleep", sleep(hour), second()).await?,
        two_requests("sleep, without a second message", sleep(hour), Then::CancelWithoutMessage)
            .await?,
        two_requests("sleep, and the request is taken back", sleep(hour), Then::Uncancel).await?,
        two_requests("sleep(0)", sleep(Duration::ZERO), second()).await?,
        two_requests("timeout", async move { timeout(hour)?.run(sleep(hour)).await }, second())
            .await?,
        two_requests("Lock.acquire", async move { lock.acquire().await }, second()).await?,
        two_requests("Event.wait", async move { event.wait().await }, second()).await?,
        two_requests::<()>("Queue.get", async move { queue.get().await }, second()).await?,
        two_requests("sock_recv", async move { event_loop.sock_recv(&one, 1).await }, second())
            .await?,
        two_requests("StreamReader.read", async move { reader.read(1).await }, second()).await?,
        two_requests("to_thread", to_thread(move || Ok(opened.recv().is_ok())), second()).await?,
    ];
    drop(gate);
    Ok(said)
}

#[test]
fn the_request_that_ends_a_wait_has_the_message_that_comes_out() {
    limit_time();
    let said = run(two_requests_in_each_leaf()).unwrap();
    assert_eq!(said.len(), 11);
    assert_cpython_says("two_requests", &said.join("\n"));
}

#[test]
fn a_gather_that_nothing_refers_to_is_over_here_and_goes_on_in_cpython() {
    limit_time();
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let kept = Rc::clone(&reports);
    let cancelled = run(async move {
        let event_loop = get_running_loop()?;
        event_loop
            .set_exception_handler(move |context| kept.borrow_mut().push(context.to_string()));
        let fails = async {
            yield_now().await?;
            Err::<(), _>(Error::other("no such user"))
        };
        let gathered = gather_return_exceptions([create_task(fails)?])?;
        yield_now().await?;
        drop(gathered);
        for _ in 0..5 {
            yield_now().await?;
        }
        let child = event_loop.create_future::<()>();
        let gathered = gather([child.clone()])?;
        child.cancel();
        assert!(gathered.clone().await.is_err());
        Ok(gathered.cancelled())
    });
    assert!(cancelled.unwrap());
    assert_eq!(*reports.borrow(), ["Task exception was never retrieved: no such user"]);
    assert_cpython_says(
        "what_a_gather_keeps",
        "a pending gather that nothing refers to runs to its end\n\
         cancelled: False exception: CancelledError\n\
         wait: Set of Tasks/Futures is empty.",
    );
}
