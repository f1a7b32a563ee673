//! Tests how tokio's futures behave on this loop.

use std::time::Duration;

use asyncio::run;

#[test]
fn a_sleep_of_tokios_on_this_loop_panics_and_says_what_it_misses() {
    let ended = run(async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(())
    });
    let error = ended.unwrap_err().to_string();
    let expected = "panicked: there is no reactor running, must be called from the context of \
                    a Tokio 1.x runtime";
    assert_eq!(error, expected);
}

#[test]
fn a_channel_of_tokios_needs_no_runtime() {
    let received = run(async {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || sender.send(42));
        Ok(receiver.await.ok())
    });
    assert_eq!(received.unwrap(), Some(42));
}
