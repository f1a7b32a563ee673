//! Stage 5: panics, and how tasks and loops end.

mod contract;
mod leaks;
mod scenes;

scene::scenes! {
    scenes::main_ends_first,
    scenes::a_task_panics,
    scenes::main_panics,
    scenes::again_and_at_once,
    scenes::from_one_loop_to_another,
    scenes::outside_of_block_on,
    scenes::late_wakes,
    scenes::a_late_wake_and_a_new_task,
    scenes::destructors_that_do_things,
    scenes::a_destructor_panics_at_the_end,
    scenes::wakes_that_do_things,
    leaks::after_very_many_turns,
    leaks::after_many_waits,
    leaks::after_panics_and_foreign_wakes,
    leaks::between_two_runs,
}

pub(crate) const TRIALS: &[scene::Trial] = &[];
