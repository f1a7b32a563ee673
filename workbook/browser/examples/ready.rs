//! Prints the time that each page takes until it's ready, opened for the first time, slowest last.
//! The time is the shortest of five, because other programs can only make a page slower:
//!
//!     cargo run --release --manifest-path workbook/browser/Cargo.toml --example ready

use anyhow::Result;
use book_in_a_browser::{Tab, cold, pages};

fn main() -> Result<()> {
    let mut tab = Tab::open()?;
    let mut rows = Vec::new();
    for page in pages()? {
        let mut best = cold::open(&mut tab, &page)?;
        for _ in 1..5 {
            let next = cold::open(&mut tab, &page)?;
            if next.loaded < best.loaded {
                best = next;
            }
        }
        rows.push((page, best));
    }
    rows.sort_by(|(_, one), (_, other)| one.loaded.total_cmp(&other.loaded));
    println!("{:<26}{:>14}{:>10}", "ms", "text is there", "ready");
    for (page, ready) in rows {
        println!("{page:<26}{:>14.0}{:>10.0}", ready.interactive, ready.loaded);
    }
    Ok(())
}
