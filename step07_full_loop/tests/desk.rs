//! The programs of the page "Back at your desk" print what it says they print.

use std::path::Path;

#[test]
fn the_programs_for_your_desk_print_what_their_page_says() {
    author::sessions::agree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/desk"));
}
