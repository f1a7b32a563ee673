//! Stage 4: descriptors that can be awaited.

mod contract;
mod scenes;
mod trials;

scene::scenes! {
    scenes::a_byte_arrives,
    scenes::ready_already,
    scenes::six_wait_for_one_descriptor,
    scenes::a_wait_changes_hands,
    scenes::both_directions,
    scenes::room_to_write,
    scenes::a_client_arrives,
    scenes::the_other_end_is_gone,
    scenes::nobody_takes_it,
    scenes::a_regular_file,
    scenes::waits_that_are_dropped,
    scenes::a_number_used_again,
    scenes::a_byte_beside_a_busy_task,
    scenes::nothing_arrives_for_a_while,
    scenes::everything_at_once,
    scenes::two_hundred_pipes,
}

scene::trials! { trials::pipes }
