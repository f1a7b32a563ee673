//! Article D prints a small loop of its own. Here it's played as printed, if Python is installed.

#[test]
fn article_d_s_loop_spins_while_it_has_something_to_wait_for() {
    let (step, package) = (env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
    let Some(said) = runner::twins::ask_cpython(step, package, "article_d_loop.py") else { return };
    assert_eq!(
        said,
        "article D's demonstration, 1.5 s long\n  \
           naps:           0\n\
         article D's loop, with nothing to do, for 20 turns\n  \
           turns:          fewer than 100\n  \
           naps:           one a turn\n  \
           processor time: at most 20 ms\n\
         article D's loop, while a timer of 0.5 s is pending\n  \
           turns:          more than 10,000\n  \
           naps:           0\n  \
           processor time: more than 20 ms\n\
         asyncio, while a timer of 0.5 s is pending\n  \
           turns:          fewer than 100\n  \
           naps:           0\n  \
           processor time: at most 20 ms\n\
         article D's loop, two timers of one moment\n  \
           one callback:   both are set\n  \
           two callbacks:  TypeError\n\
         article D's loop can watch a descriptor: False\n"
    );
}
