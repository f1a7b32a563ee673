//! Copies the tasks' wakers, with loom's atomics in place of std's.

use std::path::Path;
use std::{env, fs};

fn main() {
    let source = "../src/ready_queue/wakers.rs";
    println!("cargo::rerun-if-changed={source}");
    let text = fs::read_to_string(source).expect("read the wakers");
    // `include!` doesn't take the file's own docs.
    let code: Vec<&str> = text.lines().filter(|line| !line.starts_with("//!")).collect();
    let code = code.join("\n").replace("std::sync::atomic", "loom::sync::atomic");
    let dir = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&dir).join("wakers.rs"), code).expect("write the copy");
}
