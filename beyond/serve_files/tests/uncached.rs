//! Tests files that aren't in memory: a thread opens and reads them, and the loop doesn't wait for
//! the disk.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod support;

use std::fs::{self, File};
use std::io::IoSliceMut;
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use serve_files::Limits;
use support::{Client, LARGE, large, serve, site};

/// Returns the number of threads in the pools of all loops. A pool starts its first thread when its
/// first work arrives.
fn threads() -> usize {
    let names = fs::read_dir("/proc/self/task").unwrap().flatten().map(|it| it.path().join("comm"));
    names.flat_map(fs::read_to_string).filter(|name| name.starts_with("loop-worker ")).count()
}

/// Makes the kernel evict a file's content from memory. Returns false if the byte at `offset` is
/// still there. If the byte isn't there, this check makes the kernel load it.
fn forget(file: &File, offset: u64) -> bool {
    // The kernel can evict only bytes that are already on the disk.
    file.sync_all().unwrap();
    fadvise(file, 0, None, Advice::DontNeed).unwrap();
    let mut buffer = [0];
    let read = preadv2(file, &mut [IoSliceMut::new(&mut buffer)], offset, ReadWriteFlags::NOWAIT);
    read.is_err_and(|error| error == Errno::AGAIN)
}

/// This is a single test, since each of its parts counts the process's threads.
#[test]
fn what_is_only_on_the_disk_arrives_whole_and_a_thread_reads_it() {
    a_file_that_is_only_on_the_disk_arrives_whole();
    a_piece_is_not_sent_unread_if_its_beginning_or_its_end_is_only_on_the_disk();
}

/// The size of a piece that's sent at once, and the size of the parts that the test loads.
const PIECE: usize = 256 * 1024;
const PART: usize = 64 * 1024;

fn a_piece_is_not_sent_unread_if_its_beginning_or_its_end_is_only_on_the_disk() {
    for missing in [None, Some(0), Some(PIECE - PART)] {
        let site = site("uncached_part");
        let mut client = Client::connect(serve(&site, Limits::default()));
        let file = File::open(site.join("large.bin")).unwrap();
        // Make sure that the kernel doesn't read ahead.
        fadvise(&file, 0, None, Advice::Random).unwrap();
        let before = threads();
        for _ in 0..3 {
            if !forget(&file, LARGE as u64 - 1) {
                eprintln!("skipped: this file system keeps everything in memory");
                return;
            }
            for begin in (0..PIECE).step_by(PART).filter(|begin| Some(*begin) != missing) {
                file.read_exact_at(&mut vec![0; PART], begin as u64).unwrap();
            }
            let range = format!("bytes=1-{}", PIECE - 1);
            client.send(format!("GET /large.bin HTTP/1.1\r\nHost: x\r\nRange: {range}\r\n\r\n"));
            assert!(client.answer().body == large()[1..PIECE]);
        }
        assert_eq!(threads() > before, missing.is_some(), "{missing:?} was missing three times");
    }
}

fn a_file_that_is_only_on_the_disk_arrives_whole() {
    let site = site("uncached");
    let mut client = Client::connect(serve(&site, Limits::default()));
    assert!(client.get("/large.bin").body == large());
    assert!(threads() == 0, "what's in memory needs no thread");
    let file = File::open(site.join("large.bin")).unwrap();
    for _ in 0..3 {
        if !forget(&file, 0) {
            eprintln!("skipped: this file system keeps everything in memory");
            return;
        }
        assert!(client.get("/large.bin").body == large());
    }
    // Don't check after each request: when the test checks whether the file has been evicted, the
    // kernel reads ahead, and a fast disk can stay ahead of the server.
    assert!(threads() > 0, "three times, the file was only on the disk");
    client.send("GET /large.bin HTTP/1.1\r\nHost: x\r\nRange: bytes=70000-200000\r\n\r\n");
    forget(&file, 0);
    assert!(client.answer().body == large()[70_000..=200_000]);
    for number in 0..100 {
        assert_eq!(client.get(&format!("/a_name_never_asked_for_{number}")).status, 404);
    }
}
