//! The list of step 03's experiments, in the order in which `play` shows them.

mod asyncio;
mod backends;
mod events;
mod modify;
mod registration;
mod select;
mod stale;
mod tokens;

use scene::scenes;

scenes! {
    tokens::reregistering_gives_a_new_token,
    tokens::stale_token_finds_nothing,
    events::what_an_event_means,
    registration::register_and_get_key,
    registration::where_backends_differ,
    asyncio::selector_owns_epoll,
    registration::unregister_errors,
    select::select_reports_the_ready,
    select::hangup_wakes_all,
    select::signal_interrupts_select,
    stale::reused_descriptor,
    stale::closed_without_unregister,
    modify::modify_changes_interest,
    modify::unchanged_modify_makes_no_call,
    asyncio::same_script_on_asyncio,
}
