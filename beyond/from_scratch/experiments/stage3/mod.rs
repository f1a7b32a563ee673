//! Stage 3: sleeps.

mod contract;
mod scenes;
mod trials;

scene::scenes! {
    scenes::sleeps_of_several_tasks,
    scenes::never_early,
    scenes::a_sleep_and_nothing_else,
    scenes::a_sleep_beside_a_busy_task,
    scenes::a_sleep_beside_a_thread,
    scenes::sleeps_that_are_dropped,
    scenes::a_sleep_changes_hands,
    scenes::ten_thousand_sleepers,
    scenes::two_thousand_sleeps_until_noon,
}

scene::trials! { trials::naps }
