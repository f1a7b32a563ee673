//! The system calls of a signal, counted by strace where it's installed. The trials count the
//! writes that `send` makes.

use kit::strace;

/// Returns all system calls and signals of a scene, one per line.
fn trace(scene: &str) -> Option<Vec<String>> {
    strace::scene(env!("CARGO_BIN_EXE_step05_selfpipe"), scene, &[], env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn the_handler_makes_one_system_call_and_that_is_write() {
    let Some(lines) = trace("allocations_of_a_handler") else { return };
    let handler = lines.iter().skip_while(|line| !line.starts_with("--- SIGUSR1")).skip(1);
    let handler: Vec<_> = handler.take_while(|line| !line.starts_with("rt_sigreturn(")).collect();
    assert_eq!(handler.len(), 1, "{handler:#?}");
    assert!(handler[0].starts_with("write("), "{handler:#?}");
}
