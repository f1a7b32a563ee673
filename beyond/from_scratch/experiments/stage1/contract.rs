//! Uses this stage's names as the contract declares them. If a reader's loop lacks a name, the
//! report shows the line above the name's use.

#![allow(dead_code)]

use std::thread;

// pub fn block_on<F: Future>(main: F) -> F::Output
fn block_on<F: Future>(main: F) -> F::Output {
    from_scratch::block_on(main)
}

// pub struct JoinHandle<T>; // a Future with Output = std::thread::Result<T>
fn join_handle<T: 'static>(
    handle: from_scratch::JoinHandle<T>,
) -> impl Future<Output = thread::Result<T>> + 'static {
    handle
}

// pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T>
fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> from_scratch::JoinHandle<T> {
    from_scratch::spawn(task)
}
