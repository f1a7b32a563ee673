//! A loop that's always busy sees a signal. The only test of its file, because signals belong to
//! the whole process.

use std::cell::Cell;
use std::rc::Rc;

use step05_selfpipe::raise;
use step07_full_loop::{EventLoop, SIGUSR1, yield_now};

#[test]
fn a_busy_loop_sees_a_signal() {
    let _alone = crate::alone();
    let event_loop = EventLoop::new().unwrap();
    let arrived = Rc::new(Cell::new(false));
    let noted = Rc::clone(&arrived);
    event_loop.add_signal_handler(SIGUSR1, move || noted.set(true)).unwrap();
    let turns = event_loop.run_until_complete(async move {
        raise(SIGUSR1)?;
        for turn in 0..1000 {
            if arrived.get() {
                return Ok(turn);
            }
            yield_now().await?;
        }
        panic!("the loop has never noticed it");
    });
    event_loop.close().unwrap();
    assert!(turns.unwrap() <= 3);
}
