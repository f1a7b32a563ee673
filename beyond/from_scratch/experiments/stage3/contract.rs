//! The names of this stage, used as the contract has them. A reader who lacks a name is shown the
//! line above its use.

#![allow(dead_code)]

use std::time::Duration;

// pub fn sleep(duration: Duration) -> impl Future<Output = ()>
fn sleep(duration: Duration) -> impl Future<Output = ()> + 'static {
    from_scratch::sleep(duration)
}
