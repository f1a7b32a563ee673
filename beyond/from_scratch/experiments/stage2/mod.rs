//! Stage 2: wakes from other threads, which add no names to the contract.

mod contract;
mod scenes;
mod trials;

scene::scenes! {
    scenes::a_thread_wakes,
    scenes::woken_just_before_it_waits,
    scenes::twenty_thousand_hand_overs,
    scenes::more_wakes_than_a_pipe_holds,
    scenes::nothing_to_do_for_a_while,
    scenes::a_thread_and_a_busy_task,
}

scene::trials! { trials::threads_and_gates }
