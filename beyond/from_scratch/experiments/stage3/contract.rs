//! Uses this stage's name as the contract declares it. A reader whose loop lacks the name is shown
//! the line above its use.

#![allow(dead_code)]

use std::time::Duration;

// pub fn sleep(duration: Duration) -> impl Future<Output = ()>
fn sleep(duration: Duration) -> impl Future<Output = ()> + 'static {
    from_scratch::sleep(duration)
}
