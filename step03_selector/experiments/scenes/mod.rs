//! The list of step 03's experiments, in the order in which `play` shows them.

mod asyncio;
mod backends;
mod events;
mod ghosts;
mod modify;
mod place;
mod registration;
mod select;
mod stale;
mod tokens;

use scene::scenes;

scenes! {
    ghosts::number_as_token,
    tokens::registered_again,
    tokens::a_token_kept,
    tokens::four_billion_registrations,
    events::what_an_event_means,
    events::refused_datagram,
    registration::register_and_get_key,
    registration::where_backends_differ,
    asyncio::a_dropped_selector,
    registration::unregister_errors,
    select::select_reports_the_ready,
    select::who_hears_of_a_hangup,
    select::a_signal_during_select,
    stale::a_descriptor_twice,
    ghosts::a_thousand_selects,
    stale::closed_without_unregister,
    ghosts::closed_within_a_batch,
    ghosts::lists_of_numbers,
    place::ready_first_or_last,
    modify::modify_changes_interest,
    modify::modify_to_the_same,
    asyncio::same_script_on_asyncio,
}
