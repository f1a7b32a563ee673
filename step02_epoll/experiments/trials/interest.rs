//! A trial of the bits that epoll gets for an interest and a trigger.

use scene::{Program, Transcript, say, trial};
use step01_fd::socketpair;
use step02_epoll::{Epoll, Interest, Trigger};

use crate::scenes::interest_list::entries;

/// The bits that the kernel always adds.
const ALWAYS: i32 = libc::EPOLLHUP | libc::EPOLLERR;

trial!(
    bits_of_every_interest,
    1,
    "Each interest and each trigger sets its own epoll bits and no others."
);
/// Reads from the kernel the bits that each registration has.
fn bits_of_every_interest(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let both = Interest::READABLE | Interest::WRITABLE;
    let interests = [Interest::NONE, Interest::READABLE, Interest::WRITABLE, both];
    let triggers = [Trigger::Level, Trigger::Edge, Trigger::OneShot];
    let pairs = interests.iter().flat_map(|&interest| triggers.map(|trigger| (interest, trigger)));
    for (interest, trigger) in program.verbs(pairs) {
        let epoll = Epoll::new()?;
        let (socket, _peer) = socketpair()?;
        epoll.add(&socket, 1, interest, trigger)?;
        let bits = entries(&epoll)?.iter().fold(0, |bits, entry| bits | entry.mask);
        say!(t, "{interest:?}, {trigger:?}: {}", in_words(bits & !ALWAYS.cast_unsigned()));
    }
    Ok(())
}

fn in_words(bits: u32) -> String {
    let names = [
        (libc::EPOLLIN, "IN"),
        (libc::EPOLLPRI, "PRI"),
        (libc::EPOLLOUT, "OUT"),
        (libc::EPOLLRDHUP, "RDHUP"),
        (libc::EPOLLET, "ET"),
        (libc::EPOLLONESHOT, "ONESHOT"),
    ];
    let names = names.map(|(bit, name)| (bit.cast_unsigned(), name));
    let set = names.iter().filter(|(bit, _)| bits & bit != 0);
    let mut words: Vec<String> = set.map(|(_, name)| (*name).to_owned()).collect();
    let others = names.iter().fold(bits, |others, (bit, _)| others & !bit);
    if others != 0 {
        words.push(format!("{others:#x}"));
    }
    if words.is_empty() { "no bits".to_owned() } else { words.join(" | ") }
}
