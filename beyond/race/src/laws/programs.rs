//! The programs that check the laws. A program can run on any clock. On a virtual clock, it's a
//! simulation, and on a real clock, it's a measurement.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use asyncio::{
    EventLoop, LoopResult, MonotonicClock, Semaphore, Task, VirtualClock, create_task,
    get_running_loop, sleep,
};

use crate::measuring::processor_time;

/// The clock that a program runs on.
#[derive(Clone, Copy)]
pub(crate) enum World {
    Simulated,
    Real,
}

/// A loop, and a function that keeps the loop's thread busy for the time passed to it.
struct Setup {
    event_loop: EventLoop,
    compute: Rc<dyn Fn(Duration)>,
}

impl World {
    fn set_up(self) -> Result<Setup> {
        Ok(match self {
            World::Simulated => {
                let clock = VirtualClock::new();
                let event_loop = EventLoop::with_clock(clock.clone())?;
                Setup { event_loop, compute: Rc::new(move |time| clock.advance(time)) }
            }
            World::Real => {
                let event_loop = EventLoop::with_clock(MonotonicClock::new())?;
                Setup { event_loop, compute: Rc::new(spin) }
            }
        })
    }
}

/// Keeps the processor busy for `time`. Time that other programs use doesn't count.
fn spin(time: Duration) {
    let began = processor_time();
    while processor_time().saturating_sub(began) < time {
        std::hint::spin_loop();
    }
}

/// The results for a service's last second.
#[derive(Clone, Copy)]
pub(crate) struct Second {
    pub(crate) answered_each_in: Duration,
    pub(crate) in_flight: u32,
}

struct Service {
    connections: Semaphore,
    in_flight: Cell<u32>,
    took: RefCell<Vec<Duration>>,
}

/// Makes requests arrive at a steady rate and returns the results for the last second. Each request
/// needs a connection for `service_time`.
pub(crate) fn arrivals(
    world: World,
    (per_second, seconds): (u32, u32),
    connections: usize,
    service_time: Duration,
) -> Result<Second> {
    let service = Rc::new(Service {
        connections: Semaphore::new(connections),
        in_flight: Cell::default(),
        took: RefCell::default(),
    });
    Ok(world.set_up()?.event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let began = event_loop.time();
        for number in 0..per_second * seconds {
            if number == per_second * (seconds - 1) {
                service.took.take();
            }
            let due = began + Duration::from_secs(1) * number / per_second;
            sleep(due - event_loop.time()).await?;
            service.in_flight.update(|count| count + 1);
            create_task(answer(Rc::clone(&service), service_time))?;
        }
        let took = service.took.take();
        let mean = took.iter().sum::<Duration>() / u32::try_from(took.len()).unwrap_or(u32::MAX);
        Ok(Second { answered_each_in: mean, in_flight: service.in_flight.get() })
    })?)
}

async fn answer(service: Rc<Service>, service_time: Duration) -> asyncio::Result<()> {
    let event_loop = get_running_loop()?;
    let arrived = event_loop.time();
    let connection = service.connections.hold().await?;
    sleep(service_time).await?;
    drop(connection);
    service.in_flight.update(|count| count - 1);
    service.took.borrow_mut().push(event_loop.time() - arrived);
    Ok(())
}

/// The work for each request: a wait, which can depend on the request's number, and then a
/// computation.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) wait: fn(u32) -> Duration,
    pub(crate) compute: Duration,
}

/// Returns the time that `count` requests take if at most `limit` of them are in progress at once.
pub(crate) fn batch(world: World, request: Request, count: u32, limit: usize) -> Result<Duration> {
    let Setup { event_loop, compute } = world.set_up()?;
    let permits = Rc::new(Semaphore::new(limit));
    Ok(event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let began = event_loop.time();
        let spawn = |number| {
            let (compute, permits) = (Rc::clone(&compute), Rc::clone(&permits));
            create_task(async move {
                let _permit = permits.hold().await?;
                sleep((request.wait)(number)).await?;
                compute(request.compute);
                Ok(())
            })
        };
        for task in (0..count).map(spawn).collect::<LoopResult<Vec<Task<()>>>>()? {
            task.await?;
        }
        Ok(event_loop.time() - began)
    })?)
}
