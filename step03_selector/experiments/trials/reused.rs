//! Trials of descriptors that were closed while they were registered and whose numbers now belong
//! to other objects: each kind of object, with each trigger and interest.

use scene::{Program, Transcript, say, trial};
use step03_selector::{Interest, Trigger};

use super::registrations::carry_out;
use super::verb::{By, Verb};

const REUSES: [By; 4] = [By::NewPipe, By::NewPipeWithDuplicate, By::File, By::Epoll];

/// Returns the interests that a descriptor can be registered for.
fn interests() -> [Interest; 3] {
    [Interest::READABLE, Interest::WRITABLE, Interest::READABLE | Interest::WRITABLE]
}

trial!(
    unregisters_reused,
    1,
    "Whatever object has a closed descriptor's number by now, unregister ends only the old registration."
);
fn unregisters_reused(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let scripts = REUSES.into_iter().flat_map(|by| {
        [Trigger::Level, Trigger::Edge].into_iter().flat_map(move |trigger| {
            interests().map(|interest| {
                let register = Verb::Register { object: 0, interest, trigger };
                let unregister = Verb::Unregister { object: 0 };
                let back = Verb::Reuse { object: 0, by: By::OldObject };
                let reuse = Verb::Reuse { object: 0, by };
                // If the old object is back, its entry in the kernel is, too.
                vec![register, reuse, unregister, unregister, back, register, register]
            })
        })
    });
    run(program.verbs(scripts), t)
}

trial!(
    modifies_reused,
    4,
    "Whatever object has a closed descriptor's number by now, modify doesn't register that object."
);
fn modifies_reused(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let triggers = [Trigger::Level, Trigger::Edge].into_iter();
    let registers = triggers.flat_map(|trigger| {
        let register = Verb::Register { object: 0, interest: Interest::READABLE, trigger };
        changes().map(move |before| [register, modify(before)])
    });
    let scripts = registers.clone().flat_map(|registered| {
        let orders = REUSES.into_iter().flat_map(|by| changes().map(move |after| (by, after)));
        orders.map(move |(by, after)| {
            let reuse = Verb::Reuse { object: 0, by };
            let back = Verb::Reuse { object: 0, by: By::OldObject };
            [&registered[..], &[reuse, modify(after), back, modify(Interest::WRITABLE)]].concat()
        })
    });
    // What was modified can be unregistered.
    let ends = registers.map(|registered| {
        [&registered[..], &[Verb::Unregister { object: 0 }], &registered].concat()
    });
    // Each of the four programs has a quarter of them.
    let part = scripts.chain(ends).skip(program.number() as usize % 4).step_by(4);
    run(program.verbs(part), t)
}

fn modify(interest: Interest) -> Verb {
    Verb::Modify { object: 0, interest }
}

/// Returns the interests that a registration can be changed to.
fn changes() -> impl Iterator<Item = Interest> + Clone {
    [Interest::NONE].into_iter().chain(interests())
}

fn run(scripts: Vec<Vec<Verb>>, t: Transcript) -> anyhow::Result<()> {
    for script in scripts {
        say!(t, "a new selector");
        carry_out((1..).zip(script), t)?;
    }
    Ok(())
}
