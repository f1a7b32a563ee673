//! Checks that waiting for many tasks leaks nothing, even if the loop is closed in the middle, and
//! counts the allocations that a gather makes.

use std::future::{Future as _, poll_fn, ready};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use asyncio::{
    Error, Event, EventLoop, Future, Result, ReturnWhen, Task, TaskGroup, as_completed,
    create_task, gather, gather_return_exceptions, get_running_loop, run, shield, sleep, timeout,
    wait, wait_for, yield_now,
};
use kit::limit_time;
use kit::memory::Memory;

const HOUR: Duration = Duration::from_hours(1);

/// Makes a wait of each kind; no wait ends.
async fn wait_in_all_ways() -> Result<()> {
    let future: Future<()> = get_running_loop()?.create_future();
    let task = create_task(sleep(HOUR))?;
    let group = TaskGroup::new();
    let (member, scope) = (group.clone(), timeout(HOUR)?);
    let inner = scope.clone();
    let block = async move {
        member.clone().create_task(async move { member.create_task(sleep(HOUR))?.await })?;
        sleep(HOUR).await
    };
    create_task(async move { group.run(block).await })?;
    create_task(async move {
        scope.run(async { inner.reschedule(None).and(sleep(HOUR).await) }).await
    })?;
    create_task(gather([future.clone(), task.future(), future.clone()])?)?;
    create_task(gather_return_exceptions([sleep(HOUR), sleep(HOUR)])?)?;
    create_task(shield(gather([future.clone()])?)?)?;
    create_task(wait([future.clone(), task.future()], HOUR, ReturnWhen::AllCompleted))?;
    create_task(wait_for(future.clone(), HOUR))?;
    create_task(wait_for(future.clone(), Duration::ZERO))?;
    for next in as_completed([future.clone(), task.future()], HOUR)? {
        create_task(next)?;
    }
    // And futures that no task awaits.
    drop(gather([future.clone()])?);
    drop(shield(future.clone())?);
    drop(as_completed([future], HOUR)?);
    sleep(HOUR).await
}

/// Closes a loop on which everything waits.
fn close_in_the_middle() {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|_| {});
    event_loop.create_task(wait_in_all_ways());
    for _ in 0..5 {
        event_loop.stop();
        event_loop.run_forever().unwrap();
    }
    event_loop.close().unwrap();
}

/// Everything ends by being cancelled.
fn cancel_all() {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|_| {});
    let main = async {
        create_task(wait_in_all_ways())?;
        for _ in 0..5 {
            yield_now().await?;
        }
        let group = TaskGroup::new();
        let block = async { group.create_task(async { Err::<(), _>(Error::other("oh no")) }) };
        let _ = group.run(block).await;
        Ok(())
    };
    event_loop.run(main).unwrap();
}

/// Returns the number of allocations that the tasks and the rest of `waits` need.
fn allocations(waits: impl AsyncFnOnce(Vec<Task<u32>>) -> Result<()> + 'static) -> usize {
    let program = || {
        let event_loop = EventLoop::new().unwrap();
        event_loop
            .run(async {
                let tasks: Vec<Task<u32>> = (0..1000)
                    .map(|number| create_task(ready(Ok(number))))
                    .collect::<std::result::Result<_, _>>()?;
                waits(tasks).await
            })
            .unwrap();
    };
    Memory::of(program).1.allocations
}

pub(crate) fn waiting_for_many_leaks_nothing_and_allocates_little() {
    limit_time();
    for program in [close_in_the_middle, cancel_all] {
        // The first time, std and the thread's variables allocate memory that they keep.
        program();
        let Memory { in_use, allocations } = Memory::of(program).1;
        assert!(allocations > 50);
        assert_eq!(in_use, 0, "bytes are left");
    }

    let alone = allocations(async |tasks| {
        for task in tasks {
            task.await?;
        }
        Ok(())
    });
    let gathered = allocations(async |tasks| gather(tasks)?.await.map(drop));
    // One allocation per child, and a few more.
    assert!(gathered < alone + 1000 + 50, "{gathered} allocations instead of {alone}");
}

/// A server can wait for the same event for months and usually gives up after a while.
pub(crate) fn waits_for_an_event_that_are_over_leave_nothing() {
    limit_time();
    run(async {
        let event = Event::new();
        let mut kept = Vec::with_capacity(10);
        for _ in 0..10 {
            for _ in 0..1000 {
                let mut wait = pin!(event.wait());
                assert!(
                    poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await.is_pending()
                );
            }
            kept.push(Memory::until_now().in_use);
        }
        assert_eq!(kept[9], kept[0], "{kept:?}");
        Ok(())
    })
    .unwrap();
}
