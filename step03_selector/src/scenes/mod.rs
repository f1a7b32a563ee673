//! The experiments of step 03, in the order the chapter meets them.

mod backends;
mod events;
mod keys;
mod numbers;
mod readiness;
mod renewal;
mod script;
use scene::scenes;

scenes! {
    numbers::a_place_of_its_own,
    numbers::yesterdays_token,
    events::what_an_event_means,
    keys::a_key_and_its_data,
    keys::where_backends_differ,
    script::who_owns_what,
    keys::forgetting,
    readiness::one_select,
    readiness::hangup_wakes_all,
    readiness::a_signal_ends_the_sleep,
    renewal::reused_number,
    renewal::closed_without_a_word,
    renewal::change_of_mind,
    renewal::unchanged_asks_nobody,
    script::one_script,
}
