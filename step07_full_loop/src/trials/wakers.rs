//! A trial of permits that are given to waits whose wakers use the semaphore at once. A task's waker
//! only queues the task, but a wait can be polled with any waker.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use anyhow::ensure;
use scene::{Program, Transcript, say, trial};
use step07_full_loop::{EventLoop, Result, Semaphore, VirtualClock};

use super::lines::Wait;

thread_local! {
    /// The waits of A, B, C and so on; `None` once they are over. Wakers are for all threads, so the
    /// one below can't have them itself.
    static WAITS: RefCell<Vec<Option<Wait>>> = const { RefCell::new(Vec::new()) };
}

/// Drops the wait with this number when it's woken, and says so.
struct DropsItsWait(usize, Transcript);

impl Wake for DropsItsWait {
    fn wake(self: Arc<Self>) {
        let DropsItsWait(number, t) = *self;
        say!(t, "  {} is woken, and its waker drops it", name(number));
        drop_wait(number);
    }
}

trial!(
    permits_and_other_wakers,
    12,
    "A permit goes on to the next wait even while the waker of the one before still runs."
);
fn permits_and_other_wakers(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let (waits, first) = (3 + random.below(4), random.below(2));
    let by_drop = random.once_in(2);
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run_until_complete(async move {
        let semaphore = Rc::new(Semaphore::new(0));
        for number in 0..waits {
            // One wait in the middle gives its permit away when it's woken; the others keep theirs.
            let drops_itself = number == first + 1;
            say!(t, "{} waits{}", name(number), if drops_itself { ", ready to leave" } else { "" });
            begin(&semaphore, number, drops_itself, t);
        }
        for number in 0..=first {
            say!(t, "release(): {} is next", name(number));
            semaphore.release();
        }
        if by_drop {
            say!(t, "{} is dropped", name(first));
            drop_wait(first);
        } else {
            say!(t, "one more release()");
            semaphore.release();
        }
        say!(t, "locked() = {}", semaphore.locked());
        for number in 0..waits {
            say!(t, "{}: {}", name(number), poll(number, Waker::noop()));
        }
        WAITS.take();
        say!(t, "all are dropped: locked() = {}", semaphore.locked());
        Ok(())
    })?;
    event_loop.close()?;
    ensure!(WAITS.with_borrow(Vec::is_empty), "no wait is left");
    Ok(())
}

fn name(number: usize) -> char {
    char::from(b'A' + u8::try_from(number).unwrap_or(25))
}

fn begin(semaphore: &Rc<Semaphore>, number: usize, drops_itself: bool, t: Transcript) {
    let semaphore = Rc::clone(semaphore);
    let wait: Wait = Box::pin(async move {
        semaphore.acquire().await?;
        Ok("has a permit".to_owned())
    });
    WAITS.with_borrow_mut(|waits| waits.push(Some(wait)));
    if drops_itself {
        poll(number, &Waker::from(Arc::new(DropsItsWait(number, t))));
    } else {
        poll(number, Waker::noop());
    }
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
    let wait = WAITS.with_borrow_mut(|waits| waits[number].take());
    drop(wait);
}
