//! Registrations while the kernel refuses one call, once, with each error of that call, and while
//! the kernel's list has entries that the selector doesn't know.

use std::iter;
use std::time::Duration;

use kit::cost::within;
use kit::{
    EpollEntry, Observer, Refusal, add_to_epoll_list, epoll_list, errno_name, errnos,
    lasting_errnos,
};
use scene::{Program, Transcript, say};
use step01_fd::{pipe, write};
use step03_selector::{EpollSelector, Interest, Selector, SelectorKey, Trigger, errno};

use super::bench::{Bench, described, handed_back, register, registered};

/// Returns the refusal of every `epoll_ctl(2)`.
fn refusal(errno: i32) -> [Refusal; 1] {
    [Refusal { call: libc::SYS_epoll_ctl, argument: None, errno }]
}

fn both() -> Interest {
    Interest::READABLE | Interest::WRITABLE
}

fn interests() -> [Interest; 4] {
    [Interest::NONE, Interest::READABLE, Interest::WRITABLE, both()]
}

const TRIGGERS: [Trigger; 2] = [Trigger::Level, Trigger::Edge];

/// The events that a leftover entry waits for, in words and as flags, and the entry's token.
const LEFT_OVER: [(&str, libc::c_int, u64); 4] = [
    ("reading", libc::EPOLLIN, 5),
    ("writing, edge-triggered", libc::EPOLLOUT | libc::EPOLLET, (1 << 32) + 5),
    ("both, once", libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLONESHOT, u64::MAX),
    ("nothing", 0, 0),
];

/// A registration is one call; if the call fails, its error is returned and nothing changes.
pub(super) fn registrations(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for left_over in program.verbs(LEFT_OVER.map(Some).into_iter().chain([None])) {
        say!(t, "register pipe 1 and pipe 2, {}", what_is_left(left_over));
        for trigger in [Trigger::Level, Trigger::Edge] {
            let mut bench = with_left_over(left_over, 0)?;
            let before = list(&mut bench)?;
            for object in 0..2 {
                let (selector, pipe) = bench.parts(object);
                let add = || register(selector, pipe, both(), trigger, object);
                let (added, calls) = observer.calls_of(add);
                say!(t, "  {}; system calls: {}", registered(added), within(calls, 1));
            }
            let is_there = list(&mut bench)?.iter().filter(|it| before.contains(it)).count();
            say!(t, "  {}; entries left over: {is_there}", bench.registrations()?);
        }
    }
    let refused = lasting_errnos().zip(LEFT_OVER.into_iter().cycle());
    for (errno, left_over) in program.verbs(refused) {
        // Beside an entry of another descriptor, or of this one, about which the kernel would
        // say EEXIST.
        for object in [1, 0] {
            let mut bench = with_left_over(Some(left_over), object)?;
            let before = list(&mut bench)?;
            let (selector, pipe) = bench.parts(0);
            let add = || selector.register(pipe, both(), 1);
            let (refused, calls) = observer.refusing(&refusal(errno), 0, add);
            let (refused, calls) = (with_errno(refused), within(calls, 1));
            say!(t, "register pipe 1, when epoll fails once with {}: {refused}", errno_name(errno));
            let is_as_before = list(&mut bench)? == before;
            let list = if is_as_before { "unchanged" } else { "a different one" };
            say!(t, "  system calls: {calls}; the kernel's list is {list}");
            let (selector, pipe) = bench.parts(0);
            let again = registered(selector.register(pipe, both(), 2));
            say!(t, "  once more: {again}; {}", bench.registrations()?);
        }
    }
    Ok(())
}

fn what_is_left(entry: Option<(&str, libc::c_int, u64)>) -> String {
    match entry {
        Some((what, ..)) => format!("while the kernel's list has an entry of pipe 1, for {what}"),
        None => "while the kernel's list is empty".to_owned(),
    }
}

/// Returns a bench with an entry in the kernel's list for an object that has no key.
fn with_left_over(entry: Option<(&str, libc::c_int, u64)>, object: usize) -> anyhow::Result<Bench> {
    let mut bench = Bench::new()?;
    if let Some((_, events, token)) = entry {
        let (selector, fd) = bench.parts(object);
        add_to_epoll_list(&*selector, fd, events, token)?;
    }
    Ok(bench)
}

fn list(bench: &mut Bench) -> anyhow::Result<Vec<EpollEntry>> {
    epoll_list(&*bench.parts(0).0)
}

/// Describes an outcome, with the errno that the kernel's error has.
fn with_errno(result: std::io::Result<()>) -> String {
    match result.as_ref().map_err(errno) {
        Err(Some(errno)) => errno_name(errno),
        _ => registered(result),
    }
}

/// An unregister is one call, returns the key whatever the call reports, and deletes no other
/// entry.
pub(super) fn unregisters(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    let errnos = iter::repeat_n(None, 6).chain(lasting_errnos().map(Some));
    let registrations = TRIGGERS
        .into_iter()
        .flat_map(|trigger| interests().into_iter().skip(1).map(move |it| (it, trigger)));
    for (errno, (interest, trigger)) in program.verbs(errnos.zip(registrations.cycle())) {
        let mut bench = with_left_over(Some(LEFT_OVER[0]), 1)?;
        let (selector, pipe) = bench.parts(0);
        register(selector, pipe, interest, trigger, 1)?;
        let refusals = errno.map(refusal);
        let refusals = refusals.as_ref().map_or(&[][..], |refusals| refusals);
        let (first, calls) = observer.refusing(refusals, 0, || selector.unregister(pipe));
        let says = errno.map(|errno| format!(", when epoll fails once with {}", errno_name(errno)));
        let (says, first) = (says.unwrap_or_default(), handed_back(first));
        let calls = within(calls, 1);
        say!(t, "unregister, registered for {trigger:?}{says}: {first}; system calls: {calls}");
        say!(t, "  {}", bench.registrations()?);
        // An answer can ask the kernel although there's no key and so delete what is left there.
        let (selector, pipe) = bench.parts(0);
        say!(t, "  once more: {}", handed_back(selector.unregister(pipe)));
    }
    Ok(())
}

/// A select is one wait, whose error it returns; a signal doesn't count as an error.
pub(super) fn selects(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    write(&writer, b"x")?;
    let mut selector = EpollSelector::new()?;
    selector.register(&reader, Interest::READABLE, 1)?;
    let timeouts = [None, Some(Duration::ZERO), Some(Duration::from_hours(1))];
    let refused = errnos().zip(timeouts.into_iter().cycle());
    let observer = Observer::new()?;
    for (errno, timeout) in program.verbs(refused) {
        let refusals = Refusal::of_epoll_waits(errno);
        let mut ready = Vec::new();
        let mut select = || selector.select(timeout, &mut ready);
        let (found, calls) = observer.refusing(&refusals, 0, &mut select);
        let (calls, found) = (within(calls, 1), found.map(|()| described(&ready)));
        let found = found.unwrap_or_else(|error| match self::errno(&error) {
            Some(errno) => errno_name(errno),
            None => "an error without an errno".to_owned(),
        });
        let error = errno_name(errno);
        say!(t, "select with {timeout:?}, when the wait fails once with {error}: {found}");
        let (found, once) = observer.calls_of(|| selector.select(timeout, &mut ready));
        found?;
        say!(t, "  system calls: {calls}");
        say!(t, "  once more: {}; system calls: {}", described(&ready), within(once, 1));
    }
    Ok(())
}

/// A modify is one call or none, and if the call fails, nothing changes.
pub(super) fn modifies(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let changes = interests().into_iter().flat_map(|from| interests().map(|to| (from, to)));
    // Each error meets some of the changes, and each change some of the errors.
    let errnos = TRIGGERS
        .into_iter()
        .flat_map(|trigger| lasting_errnos().map(move |errno| (errno, trigger)));
    let cases = changes.cycle().zip(errnos);
    let observer = Observer::new()?;
    for ((from, to), (errno, trigger)) in program.verbs(cases) {
        let mut bench = Bench::new()?;
        let (selector, socket) = bench.parts(2);
        register(selector, socket, both(), trigger, 1)?;
        selector.modify(socket, from, 1)?;
        let mut modify = || selector.modify(socket, to, 2);
        // What error fits a descriptor that was closed is left open.
        let (outcome, calls) = observer.refusing(&refusal(errno), 0, &mut modify);
        let outcome = outcome.map_or_else(|_| "an error".to_owned(), |key| replaced(&key));
        let calls = within(calls, usize::from(from != to));
        say!(
            t,
            "modify 1 {from:?} to 2 {to:?}, when epoll fails once with {}: {outcome}",
            errno_name(errno)
        );
        say!(t, "  system calls: {calls}");
        say!(t, "  {}", bench.registrations()?);
    }
    Ok(())
}

fn replaced(key: &SelectorKey<usize>) -> String {
    format!("replaces {}", super::bench::key(key))
}
