//! The book's statements about CPython where CPython differs from this step, checked with it.

use std::path::Path;

#[test]
fn cpython_answers_as_the_book_says() {
    author::sessions::agree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/facts"));
}
