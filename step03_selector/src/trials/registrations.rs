//! Trials of the selector: random programs, with the kernel's list after each verb, and system calls
//! that the kernel refuses.

use kit::{Refusal, epoll_list};
use scene::{Program, Transcript, say, trial};
use step03_selector::{EpollSelector, Interest, Registry, Selector, SelectorKey, Trigger};

use super::bench::{Bench, handed_back, register, registered};
use super::verb::{NAMES, UpTo, Verb};

/// Runs a random program of a selector.
fn any_order(program: &Program, t: Transcript, up_to: UpTo) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..16).map(|data| (data, Verb::random(up_to, &mut random))));
    let mut bench = Bench::new()?;
    for (data, verb) in verbs {
        let Some(did) = bench.carry_out(verb, data)? else { continue };
        let takes_data = matches!(verb, Verb::Register { .. } | Verb::Modify { .. });
        let data = if takes_data { format!(", data {data}") } else { String::new() };
        say!(t, "{verb}{data}: {did}");
        say!(t, "  {}", bench.registrations()?);
    }
    Ok(())
}

trial!(
    registers_in_any_order,
    30,
    "What's registered has a key here and an entry in the kernel, and what's refused has neither."
);
fn registers_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Add)
}

trial!(
    unregisters_in_any_order,
    40,
    "What's unregistered is gone here and in the kernel, whatever has become of its descriptor."
);
fn unregisters_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Unregister)
}

trial!(
    selects_in_any_order,
    60,
    "Whatever is registered, reused and closed, select reports each ready registration, and no more."
);
fn selects_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Select)
}

trial!(
    modifies_in_any_order,
    60,
    "A modify changes what it's asked to here and in the kernel, and nothing if it fails."
);
fn modifies_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Modify)
}

const ADD: i32 = libc::EPOLL_CTL_ADD;
const MODIFY: i32 = libc::EPOLL_CTL_MOD;
const DELETE: i32 = libc::EPOLL_CTL_DEL;

/// Makes the kernel refuse an operation of `epoll_ctl(2)`.
fn refusal(operation: i32, errno: i32) -> Refusal {
    let operation = operation.unsigned_abs();
    Refusal { call: libc::SYS_epoll_ctl, argument: Some((1, operation)), errno }
}

trial!(
    first_registrations,
    1,
    "A registration has the token that next_token says; one that the kernel refuses leaves nothing."
);
fn first_registrations(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let both = Interest::READABLE | Interest::WRITABLE;
    let cases = [Interest::READABLE, Interest::WRITABLE, both]
        .into_iter()
        .flat_map(|interest| [(interest, Trigger::Level), (interest, Trigger::Edge)]);
    for (interest, trigger) in program.verbs(cases) {
        say!(t, "register two pipes, {interest:?}, {trigger:?}");
        two_pipes(t, interest, trigger)?;
    }
    for errno in program.verbs([libc::ENOSPC, libc::ENOMEM, libc::EPERM]) {
        let mut bench = Bench::new()?;
        let (selector, pipe) = bench.parts(0);
        let add = |selector: &mut EpollSelector<usize>, data| {
            registered(selector.register(pipe, both, data))
        };
        let refused = refusal(ADD, errno).during(|| add(selector, 1))?;
        say!(t, "register pipe 1, and the kernel refuses it: {refused}");
        say!(t, "  once more, and it doesn't: {}", add(selector, 2));
        say!(t, "  {}", bench.registrations()?);
    }
    Ok(())
}

/// Registers two pipes, and compares their tokens with those of another registry.
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
        say!(t, "    its token: {}", if is_promised { "as promised" } else { "another one" });
    }
    say!(t, "  {}", bench.registrations()?);
    Ok(())
}

trial!(
    unregisters_what_is_gone,
    1,
    "An unregister returns the key, even if the kernel has dropped the descriptor already."
);
fn unregisters_what_is_gone(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let errors = [("EBADF", libc::EBADF), ("ENOENT", libc::ENOENT), ("EPERM", libc::EPERM)];
    for (name, errno) in program.verbs(errors) {
        let mut bench = Bench::new()?;
        let (selector, pipe) = bench.parts(0);
        selector.register(pipe, Interest::READABLE, 1)?;
        let mut unregister = || handed_back(selector.unregister(pipe));
        let first = refusal(DELETE, errno).during(&mut unregister)?;
        say!(t, "unregister, and the kernel says {name}: {first}");
        say!(t, "  once more: {}", unregister());
    }
    Ok(())
}

trial!(
    modifies_that_fail,
    1,
    "A modify makes one system call or none, and if that fails, everything stays as it was."
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
            say!(t, "registered as 1 READABLE, {trigger:?}, and epoll_ctl refuses to {name}");
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
            say!(t, "  no more refusal, modify to 6 WRITABLE: {did}");
            say!(t, "    {}", bench.registrations()?);
        }
    }
    Ok(())
}
