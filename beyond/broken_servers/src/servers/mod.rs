//! The six servers. Each file contains a complete server, which uses none of the others.

pub mod archive;
pub mod bank;
pub mod kitchen;
pub mod library;
pub mod parrot;
pub mod reception;
