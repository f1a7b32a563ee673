    struct CancelOnDrop(crate::TimerHandle);
    impl Drop for CancelOnDrop {
        fn drop(&mut self) {
            self.0.cancel();
        }
    }
    if delay.is_zero() {
        return Ok(());
    }
    let event_loop = get_running_loop()?;
    let future = event_loop.create_future();
    let waiting = future.clone();
    let timer = event_loop.call_later(delay, move || {
        let _ = waiting.set_result(());
    });
    let _cancel = CancelOnDrop(timer);
    future.await
