//! Builds the book.

fn main() {}
