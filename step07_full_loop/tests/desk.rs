//! The programs of the page "Back at your desk" print the lines that the page shows.

use std::path::Path;

#[test]
fn the_programs_for_your_desk_print_what_their_page_says() {
    author::sessions::agree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/desk"));
}
