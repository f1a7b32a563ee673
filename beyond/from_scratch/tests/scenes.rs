//! Every scene of the library, in a process of its own, against its snapshot.

author::scene_tests!(env!("CARGO_BIN_EXE_from_scratch"));
