//! The list of step 04's trials: random programs and boundary values that check the promises of the
//! exercises.

mod heap;

use scene::trials;

trials! {
    heap::timers_in_any_order,
}
