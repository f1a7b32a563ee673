//! What an idle client costs in memory: nothing but its connection.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use step02_epoll::{Connection, Progress};

thread_local! {
    /// The bytes that this thread has allocated and not freed.
    static IN_USE: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts the bytes of each thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is left to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.set(IN_USE.get().wrapping_add(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(layout.size()));
        // SAFETY: the memory came from `alloc`, and so from the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[test]
fn an_idle_client_owns_no_buffer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    client.set_nonblocking(true).unwrap();
    let mut connection = Connection::new(listener.accept().unwrap().0).unwrap();
    let mut scratch = vec![0; Connection::SCRATCH_SIZE];
    let message = vec![b'x'; 64 * 1024];
    let mut answer = vec![0; 64 * 1024];
    let idle = IN_USE.get();
    // The client sends and doesn't read, until the connection has to keep something.
    while !connection.wants_to_write() {
        let _ = client.write(&message);
        connection.echo(&mut scratch).unwrap();
    }
    assert!(IN_USE.get() > idle, "what's unsent is kept");
    // Now it reads, until everything is answered.
    while connection.wants_to_write() {
        while client.read(&mut answer).is_ok() {}
        assert_ne!(connection.echo(&mut scratch).unwrap(), Progress::Finished);
    }
    assert_eq!(IN_USE.get(), idle, "an idle client owns no more than before");
}
