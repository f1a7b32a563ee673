//! Threads that hand over to each other many times, kept on one CPU: the next one begins as soon as
//! the last one sleeps. On different CPUs, each waits for other processes of a busy machine.

use std::marker::PhantomData;
use std::mem;

use libc::cpu_set_t;

/// Keeps the thread that makes it, and the threads and processes that this one starts meanwhile, on
/// a single CPU. When it's dropped, that thread may run everywhere again.
///
/// A system can forbid it. Then it does nothing, and all that's lost is time.
#[derive(Debug)]
pub struct OneCpu {
    before: Option<cpu_set_t>,
    /// Only the thread that made it can take it back.
    _stays_here: PhantomData<*const ()>,
}

impl OneCpu {
    /// Keeps the calling thread on the CPU where it is.
    pub fn here() -> Self {
        let before = affinity();
        let before = before.filter(|_| this_one().is_some_and(|only| run_on(&only)));
        OneCpu { before, _stays_here: PhantomData }
    }
}

impl Drop for OneCpu {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            run_on(before);
        }
    }
}

/// Returns the CPUs on which the calling thread may run: see `sched_setaffinity(2)`.
fn affinity() -> Option<cpu_set_t> {
    let mut cpus = no_cpu();
    // SAFETY: the kernel writes as much as fits into the set.
    let done = unsafe { libc::sched_getaffinity(0, mem::size_of::<cpu_set_t>(), &raw mut cpus) };
    (done == 0).then_some(cpus)
}

/// Lets the calling thread run on these CPUs alone. Returns false if it may not.
fn run_on(cpus: &cpu_set_t) -> bool {
    // SAFETY: the kernel only reads the set.
    let done = unsafe { libc::sched_setaffinity(0, mem::size_of::<cpu_set_t>(), cpus) };
    done == 0
}

/// Returns the CPU on which the calling thread is.
fn this_one() -> Option<cpu_set_t> {
    // SAFETY: takes no pointer.
    let number = usize::try_from(unsafe { libc::sched_getcpu() }).ok()?;
    let mut only = no_cpu();
    // SAFETY: beyond the set's end, this panics.
    unsafe { libc::CPU_SET(number, &mut only) };
    Some(only)
}

fn no_cpu() -> cpu_set_t {
    // SAFETY: the set is an array of bits, which may all be zero.
    unsafe { mem::zeroed() }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn cpus() -> libc::c_int {
        let cpus = affinity().unwrap();
        // SAFETY: only reads the set.
        unsafe { libc::CPU_COUNT(&cpus) }
    }

    #[test]
    fn a_thread_stays_where_it_is_and_so_do_those_it_starts() {
        let before = cpus();
        let one = OneCpu::here();
        assert_eq!((cpus(), thread::spawn(cpus).join().unwrap()), (1, 1));
        drop(one);
        assert_eq!(cpus(), before);
    }
}
