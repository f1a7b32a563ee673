    struct CancelOnDrop(crate::TimerHandle);
    impl Drop for CancelOnDrop {
        fn drop(&mut self) {
            self.0.cancel();
        }
    }
    if delay == Duration::ZERO {
        yield_now().await
    } else {
        let event_loop = get_running_loop()?;
        let future = event_loop.create_future::<()>();
        let when = event_loop.time() + delay;
        let alarm = future.clone();
        let timer = event_loop.call_at(when, move || drop(alarm.set_result(())));
        let guard = CancelOnDrop(timer);
        let outcome = future.await;
        drop(guard);
        outcome
    }
