//! A long sequence of bytes in which a lost or repeated byte shows.

use std::sync::LazyLock;

const PERIOD: usize = 251;

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes: Vec<u8> = (0..=u8::MAX).take(PERIOD).collect();
    while bytes.len() < 1 << 20 {
        bytes.extend_from_within(..);
    }
    bytes
});

/// Returns up to a million bytes of the sequence, beginning at `start`.
pub(crate) fn pattern(start: usize, length: usize) -> &'static [u8] {
    let start = start % PERIOD;
    &BYTES[start..start + length]
}
