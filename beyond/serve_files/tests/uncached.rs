//! What isn't in memory: a thread opens it and reads it, and the loop doesn't wait for the disk.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod support;

use std::fs::{self, File};
use std::io::IoSliceMut;

use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use serve_files::Limits;
use support::{Client, large, serve, site};

/// Returns true if the loop's pool has a thread. It starts the first one when the first work comes.
fn pool_has_threads() -> bool {
    let names = fs::read_dir("/proc/self/task").unwrap().flatten().map(|it| it.path().join("comm"));
    names.flat_map(fs::read_to_string).any(|name| name.starts_with("loop-worker "))
}

/// Lets the kernel forget the content of a file. Returns false if it didn't.
fn forget(file: &File) -> bool {
    // Only what's on the disk can be forgotten.
    file.sync_all().unwrap();
    fadvise(file, 0, None, Advice::DontNeed).unwrap();
    let mut buffer = [0];
    let read = preadv2(file, &mut [IoSliceMut::new(&mut buffer)], 0, ReadWriteFlags::NOWAIT);
    read.is_err_and(|error| error == Errno::AGAIN)
}

#[test]
fn a_file_that_is_only_on_the_disk_arrives_whole() {
    let site = site("uncached");
    let mut client = Client::connect(serve(&site, Limits::default()));
    assert!(client.get("/large.bin").body == large());
    assert!(!pool_has_threads(), "what's in memory needs no thread");
    let file = File::open(site.join("large.bin")).unwrap();
    for _ in 0..3 {
        if !forget(&file) {
            eprintln!("skipped: this file system keeps everything in memory");
            return;
        }
        assert!(client.get("/large.bin").body == large());
    }
    // Not after each of them: the look whether it's forgotten makes the kernel read ahead, and a
    // fast disk can stay ahead of the server.
    assert!(pool_has_threads(), "three times, the file was only on the disk");
    client.send("GET /large.bin HTTP/1.1\r\nHost: x\r\nRange: bytes=70000-200000\r\n\r\n");
    forget(&file);
    assert!(client.answer().body == large()[70_000..=200_000]);
    for number in 0..100 {
        assert_eq!(client.get(&format!("/a_name_never_asked_for_{number}")).status, 404);
    }
}
