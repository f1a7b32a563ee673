//! Trials of the selector: random programs, with the kernel's list after each verb.

use scene::{Program, Transcript, say, trial};

use super::bench::Bench;
use super::verb::{UpTo, Verb};

/// Runs a random program of a selector.
fn any_order(program: &Program, t: Transcript, up_to: UpTo) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..16).map(|data| (data, Verb::random(up_to, &mut random))));
    carry_out(verbs, t)
}

/// Carries out verbs, each with its data, and describes their results.
pub(super) fn carry_out(
    verbs: impl IntoIterator<Item = (usize, Verb)>,
    t: Transcript,
) -> anyhow::Result<()> {
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
    "A successful register adds a key and an entry in the kernel; a refused one adds neither."
);
fn registers_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Add)
}

trial!(
    unregisters_in_any_order,
    40,
    "An unregister removes the key and, unless the descriptor's number names another object by now, the kernel's entry."
);
fn unregisters_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Unregister)
}

trial!(
    selects_in_any_order,
    60,
    "Whatever is registered, reused and closed, select reports each ready registration and no other."
);
fn selects_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Select)
}

trial!(
    modifies_in_any_order,
    60,
    "A modify changes the key and the kernel's entry as asked. If it fails, it changes nothing."
);
fn modifies_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    any_order(program, t, UpTo::Modify)
}
