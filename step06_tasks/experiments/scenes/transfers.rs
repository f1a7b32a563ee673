//! A transfer of money that's stopped in its middle and gives back what it has taken.

use std::cell::Cell;
use std::rc::Rc;

use scene::{Transcript, say, scene};
use step06_tasks::{Future, ReadyQueue, Result, yield_now};

type Account = Rc<Cell<i32>>;

scene!(
    cancelled_in_the_middle: order,
    "A transfer is cancelled after it has taken the money. Who has the money?"
);
/// At the end, Ada has it again. `cancel()` only asks the task to end
/// (`cancel() = true, cancelled() = false`): it cancels the future that the task awaits, so in the
/// next round that `await` fails, with an error that the task can handle. This task gives the money
/// back, tells the bank in a clean-up that awaits, and then passes the error on, which ends it
/// cancelled. asyncio does the same.
fn cancelled_in_the_middle(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let (ada, grace) = (Account::new(Cell::new(100)), Account::new(Cell::new(100)));
    let bank_agrees = queue.create_future();
    let task = queue.create_task(transfer(t, ada.clone(), grace.clone(), bank_agrees));
    queue.run_until_idle()?;
    say!(t, "Ada has {}, Grace has {}", ada.get(), grace.get());
    say!(t, "cancel() = {}, cancelled() = {}", task.cancel(), task.cancelled());
    say!(t, "Ada has {}, Grace has {}", ada.get(), grace.get());
    queue.run_until_idle()?;
    say!(t, "a few rounds later, cancelled() = {}", task.cancelled());
    say!(t, "Ada has {}, Grace has {}", ada.get(), grace.get());
    Ok(())
}

// ANCHOR: transfer
async fn transfer(t: Transcript, from: Account, to: Account, agreed: Future<()>) -> Result<()> {
    from.set(from.get() - 100);
    if let Err(error) = agreed.await {
        say!(t, "  transfer: {}", error);
        from.set(from.get() + 100);
        yield_now().await?;
        say!(t, "  transfer: the bank knows");
        return Err(error);
    }
    to.set(to.get() + 100);
    Ok(())
}
// ANCHOR_END: transfer
