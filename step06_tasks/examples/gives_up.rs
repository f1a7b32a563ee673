//! A transfer of money that's given up in its middle, by dropping its coroutine.
//!
//! `cargo run -p step06_tasks --example gives_up`

use std::cell::Cell;
use std::error::Error;
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::task::{Context, Waker};

use step06_tasks::{Future, ReadyQueue, Result};

type Account = Rc<Cell<i32>>;

// ANCHOR: transfer
/// Moves 100 from one account to another, as soon as the bank agrees.
async fn transfer(from: Account, to: Account, bank_agrees: Future<()>) -> Result<()> {
    from.set(from.get() - 100);
    bank_agrees.await?;
    to.set(to.get() + 100);
    Ok(())
}
// ANCHOR_END: transfer

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let (ada, grace) = (Account::new(Cell::new(100)), Account::new(Cell::new(100)));
    let queue = ReadyQueue::new()?;
    let bank_agrees = queue.create_future();
    let mut transfer = Box::pin(transfer(ada.clone(), grace.clone(), bank_agrees));

    let mut context = Context::from_waker(Waker::noop());
    assert!(transfer.as_mut().poll(&mut context).is_pending());
    println!("The bank doesn't answer. Giving up.");
    drop(transfer);
    println!("Ada has {}, and Grace has {}.", ada.get(), grace.get());
    Ok(())
}
