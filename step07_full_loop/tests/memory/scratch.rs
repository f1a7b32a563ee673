//! The scratch buffer is made once.

use kit::memory::Memory;
use step07_full_loop::EventLoop;

pub(crate) fn every_read_after_the_first_has_the_same_buffer() {
    let event_loop = EventLoop::new().unwrap();
    let first = Memory::of(|| event_loop.scratch(2)[0]).1;
    assert_eq!((first.allocations, first.in_use), (1, 256 * 1024));
    for length in [usize::MAX, 1] {
        let later = Memory::of(|| event_loop.scratch(length)[0]).1;
        assert_eq!((later.allocations, later.in_use), (0, 0));
    }
}
