//! A trial of permits that are given to waits whose wakers use the semaphore at once. A task's
//! waker only queues the task, but a wait can be polled with any waker.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use anyhow::ensure;
use asyncio::{EventLoop, Result, Semaphore, VirtualClock};
use scene::{Program, Random, Transcript, say, trial};

use super::lines::Wait;

thread_local! {
    /// The waits of A, B, C and so on; `None` once they're over. A waker has to be `Send`, and the
    /// waits aren't, so the waker below can't own them.
    static WAITS: RefCell<Vec<Option<Wait>>> = const { RefCell::new(Vec::new()) };
    static SEMAPHORE: RefCell<Option<Rc<Semaphore>>> = const { RefCell::new(None) };
}

/// A waker's action.
#[derive(Debug, Clone, Copy)]
enum Act {
    DropsIt,
    /// Drops the wait behind it.
    DropsTheNext,
    BeginsAnother,
    /// Drops the woken wait and acquires twice.
    DropsItAndAcquires,
}

const ACTS: [Act; 4] =
    [Act::DropsIt, Act::DropsTheNext, Act::BeginsAnother, Act::DropsItAndAcquires];

/// When the wait with this number is woken, uses the semaphore and says so.
struct UsesTheSemaphore(usize, Act, Transcript);

impl Wake for UsesTheSemaphore {
    fn wake(self: Arc<Self>) {
        let UsesTheSemaphore(number, act, t) = *self;
        let Some(semaphore) = SEMAPHORE.with_borrow(Clone::clone) else { return };
        say!(t, "  {} is woken; its waker {act}", name(number));
        match act {
            Act::DropsIt => drop_wait(number),
            Act::DropsTheNext => drop_wait(number + 1),
            Act::BeginsAnother => begin(&semaphore, None, t),
            Act::DropsItAndAcquires => {
                drop_wait(number);
                for _ in 0..2 {
                    say!(t, "  locked() = {}", semaphore.locked());
                    begin(&semaphore, None, t);
                }
            }
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Act::DropsIt => "drops the woken wait",
            Act::DropsTheNext => "drops the next wait",
            Act::BeginsAnother => "begins another wait",
            Act::DropsItAndAcquires => "drops the woken wait and acquires twice",
        })
    }
}

/// A program.
struct Waits {
    act: Act,
    /// The number of the wait that's woken before the one with the act joins the line.
    first: usize,
    /// The number of waits behind the first.
    behind: usize,
    /// So many permits are free besides, before others wait behind the first.
    free: usize,
    /// The first wait is dropped; otherwise it goes on with its permit.
    by_drop: bool,
}

impl Waits {
    fn random(random: &mut Random) -> Self {
        let act = random.choose(&ACTS);
        let (first, behind) = (random.below(2), 1 + random.below(3));
        Waits { act, first, behind, free: random.below(5), by_drop: random.once_in(2) }
    }
}

trial!(
    permits_and_other_wakers,
    49,
    "A permit is passed on to the next wait even while the previous wait's waker is still running."
);
fn permits_and_other_wakers(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let Waits { act, first, behind, free, by_drop } = match program.number() {
        // Its waker asks twice while the first wait, which has its permit, ends.
        48 => Waits { act: Act::DropsItAndAcquires, first: 0, behind: 1, free: 1, by_drop: false },
        _ => Waits::random(&mut program.random()),
    };
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run_until_complete(async move {
        let semaphore = Rc::new(Semaphore::new(0));
        SEMAPHORE.set(Some(Rc::clone(&semaphore)));
        for number in 0..=first {
            begin(&semaphore, None, t);
            say!(t, "release(): {} is next", name(number));
            semaphore.release();
        }
        for _ in 0..free {
            say!(t, "another release()");
            semaphore.release();
        }
        for number in first + 1..=first + behind {
            // The waker of one wait uses the semaphore; the others do nothing.
            let uses_it = (number == first + 1).then_some(act);
            begin(&semaphore, uses_it, t);
        }
        if by_drop {
            say!(t, "{} is dropped", name(first));
            drop_wait(first);
        } else {
            say!(t, "{}: {}", name(first), poll(first, Waker::noop()));
            semaphore.release();
        }
        say!(t, "locked() = {}", semaphore.locked());
        // From the end, because a wait that goes on also gives free permits to those behind it.
        for number in (0..WAITS.with_borrow(Vec::len)).rev() {
            say!(t, "{}: {}", name(number), poll(number, Waker::noop()));
        }
        WAITS.take();
        SEMAPHORE.take();
        say!(t, "when all waits are dropped, locked() = {}", semaphore.locked());
        Ok(())
    })?;
    event_loop.close()?;
    ensure!(WAITS.with_borrow(Vec::is_empty), "no wait is left");
    Ok(())
}

fn name(number: usize) -> char {
    char::from(b'A' + u8::try_from(number).unwrap_or(25))
}

/// Begins one more wait. If there's an act, the wait's waker carries it out.
fn begin(semaphore: &Rc<Semaphore>, act: Option<Act>, t: Transcript) {
    let semaphore = Rc::clone(semaphore);
    let wait: Wait = Box::pin(async move {
        semaphore.acquire().await?;
        Ok("has a permit".to_owned())
    });
    let number = WAITS.with_borrow_mut(|waits| {
        waits.push(Some(wait));
        waits.len() - 1
    });
    let waker = act.map(|act| Waker::from(Arc::new(UsesTheSemaphore(number, act, t))));
    let polled = poll(number, waker.as_ref().unwrap_or(Waker::noop()));
    say!(t, "{} asks: {polled}", name(number));
}

fn poll(number: usize, waker: &Waker) -> String {
    // Taken out while it's polled, because a waker can use the others.
    let Some(mut wait) = WAITS.with_borrow_mut(|waits| waits[number].take()) else {
        return "is gone".to_owned();
    };
    match wait.as_mut().poll(&mut Context::from_waker(waker)) {
        Poll::Pending => {
            WAITS.with_borrow_mut(|waits| waits[number] = Some(wait));
            "waits".to_owned()
        }
        Poll::Ready(outcome) => said(outcome),
    }
}

fn said(outcome: Result<String>) -> String {
    outcome.unwrap_or_else(|error| error.to_string())
}

fn drop_wait(number: usize) {
    let wait = WAITS.with_borrow_mut(|waits| waits.get_mut(number).and_then(Option::take));
    drop(wait);
}
