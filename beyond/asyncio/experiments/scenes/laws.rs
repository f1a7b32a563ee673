//! Three laws about waiting, on a clock that costs no time: Little's, N / R, and Amdahl's.
//!
//! The clock is virtual: it stands still while callbacks run, except where a request computes, and
//! it jumps ahead where the loop would sleep. So these are simulations, and they're exact.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    EventLoop, LoopResult, Result, Semaphore, Task, Time, VirtualClock, create_task,
    get_running_loop, sleep,
};
use scene::{Transcript, say, scene};

/// A request arrives every 2 ms: 500 per second.
const BETWEEN: Duration = Duration::from_millis(2);
const DATABASE: Duration = Duration::from_millis(200);

scene!(
    littles_law,
    "500 requests arrive per second, and each needs a connection for 0.2 s. How long do they take on average?"
);
/// 50 connections answer 250 requests per second, and 500 arrive. So each second there are 250 more
/// in line, and the answers take half a second longer, for as long as the load lasts:
/// `second 4: 250 answered, in 1.80 s on average`. Little's law says how many are in flight if the
/// service keeps up: 500 per second, times 0.2 s, is 100, as in the lines for 100 connections.
fn littles_law(t: Transcript) -> anyhow::Result<()> {
    for connections in [100, 50] {
        say!(t, "{connections} connections:");
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(answer_for_four_seconds(Rc::new(Service::with(connections)), t))?;
    }
    Ok(())
}

struct Service {
    connections: Semaphore,
    /// The requests that have arrived and aren't answered.
    in_flight: Cell<u32>,
    /// The response times of the requests that were answered in the last second.
    took: RefCell<Vec<Duration>>,
}

impl Service {
    fn with(connections: usize) -> Self {
        let connections = Semaphore::new(connections);
        Service { connections, in_flight: Cell::default(), took: RefCell::default() }
    }
}

async fn answer_for_four_seconds(service: Rc<Service>, t: Transcript) -> Result<()> {
    for second in 1..=4 {
        for _ in 0..500 {
            sleep(BETWEEN).await?;
            create_task(answer(Rc::clone(&service)))?;
            service.in_flight.update(|count| count + 1);
        }
        let (left, took) = (service.in_flight.get(), service.took.take());
        let all = u32::try_from(took.len()).unwrap_or(u32::MAX);
        let mean = (took.iter().sum::<Duration>() / all).as_secs_f64();
        say!(
            t,
            "  second {second}: {} answered, in {:.2} s on average; {} in flight",
            all,
            mean,
            left
        );
    }
    Ok(())
}

async fn answer(service: Rc<Service>) -> Result<()> {
    let event_loop = get_running_loop()?;
    let arrived = event_loop.time();
    let connection = service.connections.hold().await?;
    sleep(DATABASE).await?;
    drop(connection);
    service.in_flight.update(|count| count - 1);
    service.took.borrow_mut().push(event_loop.time() - arrived);
    Ok(())
}

scene!(
    a_limit_in_number,
    "Each request takes 0.5 s, and a limited number run at a time. How many are answered per second?"
);
/// Each place is free again after half a second, so 200 places answer 400 requests per second:
/// `200 at a time: 5 s, 400 per second`. The throughput is the number at a time divided by the time
/// of one request. Twice the places give twice the throughput here, because all a request does is
/// wait. If the requests competed for a thread or a database, each would also take longer.
fn a_limit_in_number(t: Transcript) -> anyhow::Result<()> {
    for limit in [1, 200, 400] {
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        let took = event_loop.run(async move {
            let permits = Rc::new(Semaphore::new(limit));
            let requests = (0..2000).map(|_| create_task(wait_with_a_permit(Rc::clone(&permits))));
            wait_for_all(requests.collect::<LoopResult<_>>()?).await
        })?;
        let seconds = took.as_secs_f64();
        say!(t, "{limit} at a time: {} s, {} per second", seconds, 2000.0 / seconds);
    }
    Ok(())
}

async fn wait_with_a_permit(permits: Rc<Semaphore>) -> Result<()> {
    let _permit = permits.hold().await?;
    sleep(Duration::from_millis(500)).await
}

const WORK: Duration = Duration::from_millis(10);
const WAIT: Duration = Duration::from_millis(90);

scene!(
    amdahls_law,
    "A request waits for 90 ms and then computes for 10 ms. How much faster is it to run many at a time?"
);
/// A hundred requests that begin together also wait together for 90 ms and then compute one after
/// the other for a second, since they share a thread: `100 at once: 9.2 times as fast as in turn`.
/// That's a batch in lockstep. If the waits differ, some compute while others wait, and the thread
/// is hardly ever idle: `20 of 1000 at a time: 6.9 times; uneven waits: 10.0 times`. No more is
/// possible, because a request computes for a tenth of its time on average.
fn amdahls_law(t: Transcript) -> anyhow::Result<()> {
    for batch in [1, 10, 100, 1000] {
        say!(
            t,
            "{batch} at once: {:.1} times as fast as in turn",
            simulate(batch, batch, |_| WAIT)?
        );
    }
    for limit in [10, 20, 40] {
        let (even, uneven) = (simulate(1000, limit, |_| WAIT)?, simulate(1000, limit, uneven)?);
        say!(t, "{limit} of 1000 at a time: {:.1} times; uneven waits: {:.1} times", even, uneven);
    }
    Ok(())
}

/// Returns the speed-up over sending the requests one at a time, with this many in flight at once.
fn simulate(requests: u32, limit: u32, wait: fn(u32) -> Duration) -> anyhow::Result<f64> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    let permits = Rc::new(Semaphore::new(limit as usize));
    let took = event_loop.run(async move {
        let request = |number| {
            create_task(wait_and_compute(wait(number), clock.clone(), Rc::clone(&permits)))
        };
        wait_for_all((0..requests).map(request).collect::<LoopResult<_>>()?).await
    })?;
    let in_turn: Duration = (0..requests).map(|number| wait(number) + WORK).sum();
    Ok(in_turn.as_secs_f64() / took.as_secs_f64())
}

async fn wait_and_compute(
    wait: Duration,
    clock: VirtualClock,
    permits: Rc<Semaphore>,
) -> Result<()> {
    let _permit = permits.hold().await?;
    sleep(wait).await?;
    // While it computes, nothing else runs.
    clock.advance(WORK);
    Ok(())
}

/// Returns 45 ms to 135 ms, each about equally often.
fn uneven(number: u32) -> Duration {
    WAIT / 2 + Duration::from_millis(u64::from(number * 37 % 91))
}

/// Waits until all tasks have ended and returns how long the loop has run.
async fn wait_for_all(tasks: Vec<Task<()>>) -> Result<Duration> {
    for task in tasks {
        task.await?;
    }
    Ok(get_running_loop()?.time() - Time::ZERO)
}
