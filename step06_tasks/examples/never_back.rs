//! A loop that runs its callbacks until none is left, and callbacks that schedule the next ones.
//!
//! `cargo run -p step06_tasks --example never_back`

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

type Ready = Rc<RefCell<VecDeque<Box<dyn FnOnce()>>>>;

const ALARM: Duration = Duration::from_millis(100);

// ANCHOR: main
fn main() {
    let (ready, began) = (Ready::default(), Instant::now());
    count(&ready, 1, began);
    while began.elapsed() < ALARM {
        run_until_empty(&ready);
    }
    println!("The alarm for 100 ms goes off after {} ms.", began.elapsed().as_millis());
}

fn run_until_empty(ready: &Ready) {
    loop {
        let next = ready.borrow_mut().pop_front();
        let Some(callback) = next else { return };
        callback();
    }
}

/// Counts for a second. Each callback adds one and schedules the next callback.
fn count(ready: &Ready, number: u64, began: Instant) {
    let again = Rc::clone(ready);
    ready.borrow_mut().push_back(Box::new(move || {
        if began.elapsed() < Duration::from_secs(1) {
            count(&again, number + 1, began);
        } else {
            println!("counted to {number}");
        }
    }));
}
// ANCHOR_END: main
