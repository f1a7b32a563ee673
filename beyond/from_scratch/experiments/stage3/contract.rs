//! Uses this stage's name as the contract declares it. If a reader's loop lacks the name, the
//! report shows the line above the name's use.

#![allow(dead_code)]

use std::time::Duration;

// pub fn sleep(duration: Duration) -> impl Future<Output = ()>
fn sleep(duration: Duration) -> impl Future<Output = ()> + 'static {
    from_scratch::sleep(duration)
}
