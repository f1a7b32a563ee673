//! The experiments of step 07, in the order the chapter meets them.

mod life;
mod network;
mod outside;
mod time;
mod turns;

use scene::scenes;

scenes! {
    time::how_long_may_it_sleep,
    turns::order_in_a_tick,
    turns::a_callback_without_end,
    life::stop_finishes_the_tick,
    life::one_loop_at_a_time,
    time::sleepers_wake_in_order,
    time::a_cancelled_sleep_leaves_no_timer,
    outside::a_word_from_a_thread,
    outside::interrupted,
    network::a_slow_reader,
    network::a_conversation,
}
