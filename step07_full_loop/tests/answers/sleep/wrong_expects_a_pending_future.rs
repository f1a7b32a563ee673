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
    let _timer = CancelOnDrop(event_loop.call_later(delay, move || {
        woken.set_result(()).expect("only the timer finishes this future");
    }));
    future.await
