//! Trials of the heap: random programs of push, cancel and pop.

use scene::{Program, Transcript, say, trial};

use super::verb::{Numbered, Verb};

trial!(
    timers_are_cancelled,
    100,
    "Each timer can be cancelled once: cancel returns its payload, and its entry stays in the heap."
);
fn timers_are_cancelled(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = (0..30).map(|timer| Verb::push_or_cancel(timer, &mut random));
    let mut heap = Numbered::new();
    for verb in program.verbs(verbs) {
        let Some(did) = heap.carry_out(verb) else { continue };
        let (entries, slots) = (heap.timers.scheduled(), heap.timers.slots());
        say!(t, "{verb}: {did}; {}, {entries} in the heap, {slots} slots", heap.left());
    }
    Ok(())
}

trial!(
    timers_in_any_order,
    300,
    "Whatever is pushed and cancelled, each timer that's due comes out once, the earliest first."
);
fn timers_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..40).map(|timer| Verb::with_pops(timer, &mut random)));
    let mut heap = Numbered::new();
    for verb in verbs {
        let Some(did) = heap.carry_out(verb) else { continue };
        say!(t, "{verb}: {did}; {}", heap.left());
        let wrong = heap.entries_without_a_timer();
        if wrong > 0 {
            say!(t, "  entries of fired timers that are still in the heap: {wrong}");
        }
    }
    Ok(())
}
