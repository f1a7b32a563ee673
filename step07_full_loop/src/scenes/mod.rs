//! The list of step 07's experiments, in the order in which `play` shows them.

mod computing;
mod debug;
mod descriptors;
mod errors;
mod executor;
mod life;
mod network;
mod outside;
mod runners;
mod shutdown;
mod threads;
mod time;
mod tracing;
mod turns;
mod ways;

use std::num::NonZero;

use scene::scenes;

scenes! {
    time::select_timeout_cases,
    turns::order_in_a_tick,
    turns::self_scheduling_callback,
    turns::a_tick_waits_first,
    ways::from_descriptor_to_coroutine,
    ways::time_inside_a_callback,
    descriptors::add_reader_twice,
    descriptors::a_reader_removed_while_it_is_ready,
    descriptors::an_event_in_a_stopped_run,
    life::stop_finishes_the_tick,
    life::stopped_in_the_middle,
    life::one_loop_at_a_time,
    life::run_until_complete_wraps_only_coroutines,
    errors::what_an_exception_handler_is_told,
    errors::a_broken_exception_handler,
    time::timers_in_a_tick,
    time::sleepers_wake_in_order,
    time::a_cancelled_sleep_leaves_no_timer,
    ways::a_callback_blocks,
    outside::call_soon_threadsafe_from_a_thread,
    outside::call_soon_threadsafe_keeps_its_place,
    outside::a_wake_that_nothing_reads,
    threads::a_thread_finishes_a_future,
    outside::a_signal_while_the_loop_sleeps,
    outside::signals_come_a_tick_later,
    outside::run_and_ctrl_c,
    runners::a_runner_and_ctrl_c,
    runners::run_drops_tasks_of_the_cleanup,
    threads::a_blocking_call,
    computing::a_function_that_computes,
    threads::a_threads_result_keeps_its_place,
    threads::a_panic_in_a_thread,
    threads::run_waits_for_its_threads,
    executor::a_pool_is_bounded,
    executor::work_is_cancelled,
    executor::a_task_that_waits_for_a_thread_is_cancelled,
    debug::debug_mode_names_what_is_slow,
    tracing::a_trace_of_every_tick,
    network::slow_reader_holds_the_writer,
    network::echo_conversation,
    shutdown::stop_finish_and_leave,
    shutdown::an_echo_server_is_stopped,
}

/// Returns the size of a pool. (A zero would be refused.)
fn pool_of(threads: usize) -> NonZero<usize> {
    NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN)
}
