//! Every scene of the step, in a process of its own, against its snapshot.

author::scene_tests!(env!("CARGO_BIN_EXE_step07_full_loop"));
