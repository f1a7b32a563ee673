//! The list of step 07's experiments, in the order in which `play` shows them.

pub(crate) mod asked_clock;
mod computing;
mod debug;
mod descriptors;
mod errors;
mod executor;
mod life;
mod network;
mod onlooker;
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

scenes! { onlooker::look_on =>
    time::select_timeout_cases,
    turns::order_in_a_tick,
    turns::self_scheduling_callback,
    turns::a_pipe_and_two_callbacks,
    time::an_answer_and_its_timeout,
    ways::from_descriptor_to_coroutine,
    ways::time_inside_a_callback,
    descriptors::add_reader_twice,
    descriptors::a_reader_removed_while_it_is_ready,
    descriptors::an_event_in_a_stopped_run,
    life::stop_in_a_tick,
    life::stopped_in_the_middle,
    life::one_loop_at_a_time,
    life::ticks_of_run_until_complete,
    life::a_stop_in_the_last_tick,
    errors::what_an_exception_handler_is_told,
    errors::a_broken_exception_handler,
    time::timers_in_a_tick,
    time::work_and_sleep,
    time::a_cancelled_sleep,
    ways::a_callback_blocks,
    outside::call_soon_threadsafe_from_a_thread,
    outside::two_ways_to_call_soon,
    outside::wakes_through_an_eventfd,
    threads::a_thread_finishes_a_future,
    outside::a_signal_while_the_loop_sleeps,
    outside::signals_and_a_callback,
    outside::run_and_ctrl_c,
    runners::a_runner_and_ctrl_c,
    runners::a_task_begun_in_a_cleanup,
    threads::a_blocking_call,
    computing::a_function_that_computes,
    threads::a_threads_result_and_a_callback,
    threads::a_panic_in_a_thread,
    threads::a_busy_thread_at_the_end,
    executor::five_pieces_of_work,
    executor::work_is_cancelled,
    executor::a_task_that_waits_for_a_thread_is_cancelled,
    debug::slow_steps_in_debug_mode,
    tracing::a_trace_of_every_tick,
    network::a_writer_and_a_slow_reader,
    network::echo_conversation,
    shutdown::stop_finish_and_leave,
    shutdown::an_echo_server_is_stopped,
}

/// Returns `threads` as the size of a pool, or 1 instead of 0, which a pool refuses.
fn pool_of(threads: usize) -> NonZero<usize> {
    NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN)
}
