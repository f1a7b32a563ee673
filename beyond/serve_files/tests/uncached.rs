//! What isn't in memory: a thread opens it and reads it, and the loop doesn't wait for the disk.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod support;

use std::fs::{self, File};
use std::io::IoSliceMut;
use std::num::NonZero;
use std::ops::Range;

use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use serve_files::Limits;
use support::{Client, LARGE, large, serve, site};

/// Returns the number of threads in the pools of all loops. A pool starts the first one when the
/// first work comes.
fn threads() -> usize {
    let names = fs::read_dir("/proc/self/task").unwrap().flatten().map(|it| it.path().join("comm"));
    names.flat_map(fs::read_to_string).filter(|name| name.starts_with("loop-worker ")).count()
}

/// Lets the kernel forget a part of a file. Returns false if the part's first byte is still there.
fn forget(file: &File, part: &Range<u64>) -> bool {
    // Only what's on the disk can be forgotten.
    file.sync_all().unwrap();
    let length = NonZero::new(part.end - part.start);
    fadvise(file, part.start, length, Advice::DontNeed).unwrap();
    let mut buffer = [0];
    let buffers = &mut [IoSliceMut::new(&mut buffer)];
    let read = preadv2(file, buffers, part.start, ReadWriteFlags::NOWAIT);
    read.is_err_and(|error| error == Errno::AGAIN)
}

const ALL: Range<u64> = 0..LARGE as u64;

/// One test, since each of its parts counts the process's threads.
#[test]
fn what_is_only_on_the_disk_arrives_whole_and_a_thread_reads_it() {
    a_file_that_is_only_on_the_disk_arrives_whole();
    for part in [0..128 * 1024, 128 * 1024..LARGE as u64] {
        a_piece_of_which_a_part_is_only_on_the_disk_is_not_sent_unread(&part);
    }
}

fn a_piece_of_which_a_part_is_only_on_the_disk_is_not_sent_unread(part: &Range<u64>) {
    let site = site("uncached_part");
    let mut client = Client::connect(serve(&site, Limits::default()));
    let file = File::open(site.join("large.bin")).unwrap();
    let before = threads();
    for _ in 0..3 {
        assert!(client.get("/large.bin").body == large());
        if !forget(&file, part) {
            eprintln!("skipped: this file system keeps {part:?} in memory");
            return;
        }
    }
    assert!(client.get("/large.bin").body == large());
    assert!(threads() > before, "{part:?} was only on the disk");
}

fn a_file_that_is_only_on_the_disk_arrives_whole() {
    let site = site("uncached");
    let mut client = Client::connect(serve(&site, Limits::default()));
    assert!(client.get("/large.bin").body == large());
    assert!(threads() == 0, "what's in memory needs no thread");
    let file = File::open(site.join("large.bin")).unwrap();
    for _ in 0..3 {
        if !forget(&file, &ALL) {
            eprintln!("skipped: this file system keeps everything in memory");
            return;
        }
        assert!(client.get("/large.bin").body == large());
    }
    // Not after each of them: the look whether it's forgotten makes the kernel read ahead, and a
    // fast disk can stay ahead of the server.
    assert!(threads() > 0, "three times, the file was only on the disk");
    client.send("GET /large.bin HTTP/1.1\r\nHost: x\r\nRange: bytes=70000-200000\r\n\r\n");
    forget(&file, &ALL);
    assert!(client.answer().body == large()[70_000..=200_000]);
    for number in 0..100 {
        assert_eq!(client.get(&format!("/a_name_never_asked_for_{number}")).status, 404);
    }
}
