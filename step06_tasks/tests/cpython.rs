//! Checks the book's claims about CPython: by a scene's twin, or by a program if it has no twin.

use std::path::Path;

#[test]
fn cpython_answers_as_the_book_says() {
    author::sessions::agree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/facts"));
}

/// CPython's asyncio prints the same transcripts as the scenes that speak for it.
#[test]
fn cpython_says_the_same_as_our_scenes() {
    author::twins::agree(env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
}
