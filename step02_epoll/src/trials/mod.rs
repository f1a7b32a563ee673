//! The list of step 02's trials: random programs and boundary values that check the promises of the
//! exercises.

use scene::trials;

trials! {}
