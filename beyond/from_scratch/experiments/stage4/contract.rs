//! Uses this stage's names as the contract declares them. If a reader's loop lacks a name, the
//! report shows the line above the name's use.

#![allow(dead_code)]

use std::io;
use std::os::fd::AsFd;

// pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>>
fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    from_scratch::readable(fd)
}

// pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>>
fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    from_scratch::writable(fd)
}
