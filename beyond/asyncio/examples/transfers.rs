//! Two payments at the same time, each of which locks two accounts. The program hangs.
//!
//! `cargo run -p asyncio --example transfers`, or the same with `-- in-order` at the end.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Lock, LoopResult, Result, TaskGroup, run, sleep};

fn main() -> LoopResult<()> {
    let in_order = std::env::args().any(|argument| argument == "in-order");
    run(async move {
        let (ann, bob) = (Account::new(1, "Ann", 100), Account::new(2, "Bob", 50));
        let group = TaskGroup::new();
        let payments = async {
            for (amount, from, to) in [(10, &ann, &bob), (20, &bob, &ann)] {
                let (from, to) = (Rc::clone(from), Rc::clone(to));
                group.create_task(async move {
                    if in_order {
                        transfer_in_order(amount, &from, &to).await
                    } else {
                        transfer(amount, &from, &to).await
                    }
                })?;
            }
            Ok(())
        };
        group.run(payments).await?;
        println!("Ann has {}, and Bob has {}.", ann.balance.get(), bob.balance.get());
        Ok(())
    })
}

struct Account {
    number: u32,
    owner: &'static str,
    balance: Cell<u32>,
    lock: Lock,
}

impl Account {
    fn new(number: u32, owner: &'static str, balance: u32) -> Rc<Account> {
        Rc::new(Account { number, owner, balance: Cell::new(balance), lock: Lock::new() })
    }
}

// ANCHOR: transfer
/// Moves money from one account to another and locks both accounts meanwhile.
async fn transfer(amount: u32, from: &Account, to: &Account) -> Result<()> {
    let _from = from.lock.hold().await?;
    println!("{} pays {amount} to {}", from.owner, to.owner);
    let left = from.balance.get() - amount;
    the_bank_agrees(left).await?;
    let _to = to.lock.hold().await?;
    from.balance.set(left);
    to.balance.set(to.balance.get() + amount);
    println!("{} has been paid", to.owner);
    Ok(())
}
// ANCHOR_END: transfer

// ANCHOR: transfer_in_order
/// The same, but whichever way the money goes, the account with the lower number is locked first.
async fn transfer_in_order(amount: u32, from: &Account, to: &Account) -> Result<()> {
    let (first, second) = if from.number < to.number { (from, to) } else { (to, from) };
    let _first = first.lock.hold().await?;
    let _second = second.lock.hold().await?;
    println!("{} pays {amount} to {}", from.owner, to.owner);
    let left = from.balance.get() - amount;
    the_bank_agrees(left).await?;
    from.balance.set(left);
    to.balance.set(to.balance.get() + amount);
    println!("{} has been paid", to.owner);
    Ok(())
}
// ANCHOR_END: transfer_in_order

/// Asks whether the account may have this little left. It takes a while, and the answer is always
/// yes.
async fn the_bank_agrees(_left: u32) -> Result<()> {
    sleep(Duration::from_millis(100)).await
}
