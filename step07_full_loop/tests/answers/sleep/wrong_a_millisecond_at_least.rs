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
    let woken = future.clone();
    let delay = delay.max(Duration::from_millis(1));
    let timer = event_loop.call_later(delay, move || {
        let _ = woken.set_result(());
    });
    let _guard = CancelOnDrop(timer);
    future.await
