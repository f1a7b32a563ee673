//! A loop that's gone has given its memory and its descriptors back, whatever it held.

use std::future::pending;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::time::Duration;

use kit::limit_time;
use kit::memory::Memory;
use step01_fd::{open_descriptors, pipe, socketpair};
use step07_full_loop::{
    Error, EventLoop, Runner, SIGUSR1, TcpListener, TcpStream, create_task, get_running_loop,
    sleep, yield_now,
};

/// Fills a loop with all kinds of objects, each of which holds the loop, and closes it.
fn close_in_the_middle(event_loop: &EventLoop) {
    let held = event_loop.clone();
    event_loop.set_exception_handler(move |_| held.stop());
    event_loop.set_debug(true);
    let holds = || {
        let held = event_loop.clone();
        move || assert!(!held.is_closed())
    };
    let (one, other) = socketpair().unwrap();
    event_loop.add_reader(&one, holds()).unwrap();
    event_loop.add_writer(&one, holds()).unwrap();
    event_loop.add_reader(&other, holds()).unwrap();
    event_loop.add_signal_handler(SIGUSR1, holds()).unwrap();
    event_loop.call_later(Duration::from_hours(1), holds());
    event_loop.call_later(Duration::from_hours(1), holds()).cancel();
    event_loop.call_soon(|| resume_unwind(Box::new("oh no")));
    let future = event_loop.create_future::<()>();
    let held = event_loop.clone();
    future.add_done_callback(move |_| assert!(!held.is_closed()));
    event_loop.create_task(future.clone());
    event_loop.create_task(server());
    event_loop.create_task(async { Err::<(), _>(Error::other("no such user")) });
    event_loop.create_task(sleep(Duration::from_hours(1)));
    event_loop.create_task::<()>(pending());
    for _ in 0..5 {
        event_loop.stop();
        event_loop.run_forever().unwrap();
    }
    event_loop.call_soon(holds());
    let held = event_loop.clone();
    event_loop.create_task::<()>(async move {
        let _held = held;
        pending().await
    });
    event_loop.call_soon_threadsafe(|| {}).unwrap();
    event_loop.close().unwrap();
}

/// No object in the loop refers to the loop, so dropping the last handle is enough. The tasks don't
/// begin, because a sleep that has begun refers to the loop.
fn drop_before_the_first_tick() {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|_| {});
    let held = Rc::new(pipe().unwrap());
    let keeps = || {
        let held = Rc::clone(&held);
        move || drop(Rc::clone(&held))
    };
    event_loop.call_soon(keeps());
    event_loop.call_later(Duration::from_hours(1), keeps());
    event_loop.add_reader(&held.0, keeps()).unwrap();
    event_loop.add_signal_handler(SIGUSR1, keeps()).unwrap();
    let (future, kept) = (event_loop.create_future::<()>(), Rc::clone(&held));
    let waited_for = future.clone();
    future.add_done_callback(move |_| drop(kept));
    event_loop.create_task(waited_for);
    let kept = Rc::clone(&held);
    event_loop.create_task(async move {
        let _kept = kept;
        sleep(Duration::from_hours(1)).await
    });
}

/// A future can outlive its loop and have a callback that holds the future.
fn finish_after_the_end() {
    let event_loop = EventLoop::new().unwrap();
    let future = event_loop.create_future::<()>();
    let itself = future.clone();
    future.add_done_callback(move |_| drop(itself));
    event_loop.close().unwrap();
    drop(event_loop);
    future.set_result(()).unwrap();
}

async fn server() -> step07_full_loop::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = TcpStream::from_std(std::net::TcpStream::connect(listener.local_addr()?)?)?;
    let (served, _) = listener.accept().await?;
    create_task(async move { served.read(&mut [0; 8]).await })?;
    let event_loop = get_running_loop()?;
    client.readable().await?;
    drop(event_loop);
    Ok(())
}

/// The tasks of the loop end by themselves or at a request.
fn run_to_the_end() {
    let runner = Runner::new().unwrap();
    runner.get_loop().set_exception_handler(|_| {});
    runner
        .run(async {
            create_task(server())?;
            create_task(sleep(Duration::from_hours(1)))?;
            yield_now().await?;
            let itself = get_running_loop()?;
            itself.clone().call_later(Duration::from_hours(1), move || itself.stop());
            yield_now().await
        })
        .unwrap();
}

pub(crate) fn a_loop_leaks_nothing() {
    limit_time();
    let programs: [fn(); 5] = [
        || close_in_the_middle(&EventLoop::new().unwrap()),
        || close_in_the_middle(&EventLoop::with_eventfd().unwrap()),
        drop_before_the_first_tick,
        run_to_the_end,
        finish_after_the_end,
    ];
    for program in programs {
        let descriptors = open_descriptors().unwrap().len();
        // The first time, std and the thread's variables allocate memory that they keep.
        program();
        let Memory { in_use, allocations } = Memory::of(program).1;
        assert!(allocations > 5);
        assert_eq!(in_use, 0, "bytes are left");
        assert_eq!(open_descriptors().unwrap().len(), descriptors);
    }
}
