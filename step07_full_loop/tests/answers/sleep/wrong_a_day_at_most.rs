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
    let over = event_loop.create_future();
    let finished = over.clone();
    let timer = event_loop.call_later(delay.min(Duration::from_hours(24)), move || {
        let _ = finished.set_result(());
    });
    let _timer = CancelOnDrop(timer);
    over.await
