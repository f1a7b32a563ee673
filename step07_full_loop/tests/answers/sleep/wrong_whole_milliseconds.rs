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
    let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
    let timer = event_loop.call_later(Duration::from_millis(millis), move || {
        let _ = woken.set_result(());
    });
    let _guard = CancelOnDrop(timer);
    future.await
