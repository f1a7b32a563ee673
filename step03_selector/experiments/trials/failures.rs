//! Trials of registrations that the kernel refuses to make, change or end.

use std::os::fd::BorrowedFd;

use kit::{Refusal, as_descriptor_zero, epoll_list};
use scene::{Program, Transcript, say, trial};
use step01_fd::pipe;
use step03_selector::{EpollSelector, Interest, Registry, Selector, SelectorKey, Trigger};

use super::bench::{Bench, handed_back, register, registered};
use super::refused;
use super::verb::NAMES;

const ADD: i32 = libc::EPOLL_CTL_ADD;
const MODIFY: i32 = libc::EPOLL_CTL_MOD;
const DELETE: i32 = libc::EPOLL_CTL_DEL;

fn both() -> Interest {
    Interest::READABLE | Interest::WRITABLE
}

/// Makes the kernel refuse an operation of `epoll_ctl(2)`.
fn refusal(operation: i32, errno: i32) -> Refusal {
    let operation = operation.unsigned_abs();
    Refusal { call: libc::SYS_epoll_ctl, argument: Some((1, operation)), errno }
}

trial!(
    first_registrations,
    1,
    "A registration gets the token that next_token returned; a refused registration leaves nothing behind."
);
fn first_registrations(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let cases = [Interest::READABLE, Interest::WRITABLE, both()]
        .into_iter()
        .flat_map(|interest| [(interest, Trigger::Level), (interest, Trigger::Edge)]);
    for (interest, trigger) in program.verbs(cases) {
        say!(t, "register two pipes, {interest:?}, {trigger:?}");
        two_pipes(t, interest, trigger)?;
    }
    for (operation, name) in program.verbs([(MODIFY, "modify"), (DELETE, "delete")]) {
        let mut bench = Bench::new()?;
        let (selector, pipe) = bench.parts(0);
        let add = || registered(selector.register(pipe, both(), 1));
        let added = refusal(operation, libc::EIO).during(add)?;
        say!(t, "register pipe 1, when epoll_ctl refuses to {name}: {added}");
        say!(t, "  {}", bench.registrations()?);
    }
    for () in program.verbs([()]) {
        let (reader, _writer) = pipe()?;
        let mut selector = EpollSelector::new()?;
        let register = |zero: BorrowedFd<'_>| selector.register(zero, both(), 1);
        let added = registered(as_descriptor_zero(&reader, register)?);
        say!(t, "register a pipe that is descriptor 0: {added}");
    }
    refused::registrations(program, t)
}

/// Registers two pipes and compares their tokens with those of another registry.
fn two_pipes(t: Transcript, interest: Interest, trigger: Trigger) -> anyhow::Result<()> {
    let mut bench = Bench::new()?;
    let mut registry = Registry::new();
    for (object, name) in NAMES.iter().enumerate().take(2) {
        let (selector, fd) = bench.parts(object);
        say!(t, "  {name}: {}", registered(register(selector, fd, interest, trigger, object)));
        let promised = registry.next_token(fd)?;
        registry.insert(fd, SelectorKey { interest, trigger, data: object });
        let list = epoll_list(&*selector)?;
        let is_promised = list.iter().any(|entry| entry.token == promised);
        say!(t, "    its token: {}", if is_promised { "as promised" } else { "a different one" });
    }
    say!(t, "  {}", bench.registrations()?);
    Ok(())
}

trial!(
    unregisters_what_is_gone,
    1,
    "An unregister returns the key, even if the kernel has already dropped the descriptor."
);
fn unregisters_what_is_gone(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (operation, name) in program.verbs([(ADD, "add"), (MODIFY, "modify")]) {
        let mut bench = Bench::new()?;
        let (selector, pipe) = bench.parts(0);
        selector.register(pipe, Interest::READABLE, 1)?;
        let unregister = || handed_back(selector.unregister(pipe));
        let did = refusal(operation, libc::EIO).during(unregister)?;
        say!(t, "unregister, when epoll_ctl refuses to {name}: {did}");
        say!(t, "  {}", bench.registrations()?);
    }
    refused::unregisters(program, t)
}

trial!(
    modifies_that_fail,
    1,
    "A modify makes one system call or none, and if the call fails, the modify changes nothing."
);
fn modifies_that_fail(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let operations = [(ADD, "add"), (MODIFY, "modify"), (DELETE, "delete")];
    let errors = [libc::ENOMEM, libc::EINVAL];
    let cases = errors.into_iter().flat_map(|errno| operations.map(|it| (it, errno)));
    for ((operation, name), errno) in program.verbs(cases) {
        for trigger in [Trigger::Level, Trigger::Edge] {
            let mut bench = Bench::new()?;
            let (selector, socket) = bench.parts(2);
            register(selector, socket, Interest::READABLE, trigger, 1)?;
            say!(t, "registered as 1 READABLE, {trigger:?}; epoll_ctl refuses to {name}");
            for (interest, data) in [
                (Interest::READABLE, 2),
                (Interest::WRITABLE, 3),
                (Interest::NONE, 4),
                (Interest::READABLE, 5),
            ] {
                let (selector, socket) = bench.parts(2);
                let modify = || handed_back(selector.modify(socket, interest, data));
                let did = refusal(operation, errno).during(modify)?;
                say!(t, "  modify to {data} {interest:?}: {did}");
                say!(t, "    {}", bench.registrations()?);
            }
            let (selector, socket) = bench.parts(2);
            let did = handed_back(selector.modify(socket, Interest::WRITABLE, 6));
            say!(t, "  when epoll_ctl no longer refuses, modify to 6 WRITABLE: {did}");
            say!(t, "    {}", bench.registrations()?);
        }
    }
    refused::modifies(program, t)
}
