    struct CancelOnDrop(crate::TimerHandle);
    impl Drop for CancelOnDrop {
        fn drop(&mut self) {
            self.0.cancel();
        }
    }
    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let future = event_loop.create_future();
    let alarm = future.clone();
    let timer = event_loop.call_later(delay, move || {
        // It may have been cancelled in this very tick.
        let _ = alarm.set_result(());
    });
    let _until_we_end = CancelOnDrop(timer);
    future.await
