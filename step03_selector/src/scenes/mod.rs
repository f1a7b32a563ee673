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
    numbers::reregistering_gives_a_new_token,
    numbers::stale_token_finds_nothing,
    events::what_an_event_means,
    keys::register_and_get_key,
    keys::where_backends_differ,
    script::who_owns_what,
    keys::unregister_errors,
    readiness::one_select,
    readiness::hangup_wakes_all,
    readiness::signal_interrupts_select,
    renewal::reused_descriptor,
    renewal::closed_without_unregister,
    renewal::modify_changes_interest,
    renewal::unchanged_modify_makes_no_call,
    script::same_script_on_asyncio,
}
