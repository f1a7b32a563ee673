//! Stage 1: a future runs to its end, with tasks beside it.

mod contract;
mod scenes;
mod trials;

scene::scenes! {
    scenes::a_value_and_a_task,
    scenes::how_often_a_task_is_polled,
    scenes::six_take_turns,
    scenes::handles_of_every_kind,
    scenes::wakes_of_every_kind,
    scenes::a_chain_of_tasks,
    scenes::two_thousand_waits,
}

scene::trials! { trials::tasks_and_gates }
