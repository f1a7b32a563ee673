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
    let mut timer = None;
    std::future::poll_fn(|context| {
        step06_tasks::check_cancelled()?;
        if timer.is_some() {
            return std::task::Poll::Ready(Ok(()));
        }
        let waker = context.waker().clone();
        timer = Some(CancelOnDrop(event_loop.call_later(delay, move || waker.wake())));
        std::task::Poll::Pending
    })
    .await
