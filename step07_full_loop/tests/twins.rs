//! CPython's asyncio prints the same transcripts as the scenes that speak for it.

#[test]
fn cpython_says_the_same_as_our_scenes() {
    author::twins::agree(env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
}
