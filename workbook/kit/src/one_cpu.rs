//! Lets threads that take turns many times share a single CPU. On one CPU, the next thread runs as
//! soon as the previous thread sleeps. On a busy machine, threads on different CPUs would each have
//! to wait for other processes.

use std::marker::PhantomData;
use std::mem;

use libc::cpu_set_t;

/// Keeps the thread that creates this value, and any threads and processes that this thread then
/// starts, on a single CPU. When the value is dropped, the thread may run on its previous CPUs
/// again.
///
/// If the system doesn't allow this, the value has no effect, and the threads just run more slowly.
#[derive(Debug)]
pub struct OneCpu {
    before: Option<cpu_set_t>,
    /// Only the thread that created the value can undo its effect.
    _stays_here: PhantomData<*const ()>,
}

impl OneCpu {
    /// Keeps the calling thread on its current CPU.
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

/// Keeps the calling thread on one of the CPUs on which it may run, chosen by `number`. Threads
/// with different numbers stay on different CPUs, as long as there are enough CPUs. Without this
/// function, a busy system might put threads that wake each other on the same CPU, and they'd never
/// run simultaneously.
///
/// If the system doesn't allow this, the function has no effect.
pub fn stay_apart(number: usize) {
    let Some(cpus) = affinity() else { return };
    // SAFETY: up to the set's end, where this range stops, the call only reads the set.
    let is_ours = |cpu: &usize| unsafe { libc::CPU_ISSET(*cpu, &cpus) };
    let ours: Vec<usize> = (0..libc::CPU_SETSIZE as usize).filter(is_ours).collect();
    if !ours.is_empty() {
        run_on(&only(ours[number % ours.len()]));
    }
}

/// Returns the CPUs on which the calling thread may run; see `sched_setaffinity(2)`.
fn affinity() -> Option<cpu_set_t> {
    let mut cpus = no_cpu();
    // SAFETY: the kernel writes as much as fits into the set.
    let done = unsafe { libc::sched_getaffinity(0, mem::size_of::<cpu_set_t>(), &raw mut cpus) };
    (done == 0).then_some(cpus)
}

/// Makes the calling thread run only on these CPUs. Returns false if the system doesn't allow this.
fn run_on(cpus: &cpu_set_t) -> bool {
    // SAFETY: the kernel only reads the set.
    let done = unsafe { libc::sched_setaffinity(0, mem::size_of::<cpu_set_t>(), cpus) };
    done == 0
}

/// Returns the CPU that the calling thread runs on.
fn this_one() -> Option<cpu_set_t> {
    // SAFETY: the call takes no pointer.
    let number = unsafe { libc::sched_getcpu() };
    usize::try_from(number).ok().map(only)
}

fn only(number: usize) -> cpu_set_t {
    let mut only = no_cpu();
    // SAFETY: beyond the set's end, `CPU_SET` panics.
    unsafe { libc::CPU_SET(number, &mut only) };
    only
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
        // SAFETY: the call only reads the set.
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
    #[test]
    fn threads_stay_on_different_cpus() {
        let of_thread = |number: usize| {
            let thread = thread::spawn(move || {
                stay_apart(number);
                (cpus(), this_one().unwrap())
            });
            thread.join().unwrap()
        };
        let [(first, here), (second, there)] = [0, 1].map(of_thread);
        assert_eq!((first, second), (1, 1));
        // SAFETY: the call only reads the sets.
        let is_same = unsafe { libc::CPU_EQUAL(&here, &there) };
        assert_eq!(is_same, cpus() == 1);
    }
}
