//! CPython's asyncio prints the same transcripts as the scenes that claim to hold for asyncio.

#[test]
fn cpython_says_the_same_as_our_scenes() {
    author::twins::agree(env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
}
