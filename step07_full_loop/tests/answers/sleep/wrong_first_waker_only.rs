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
    let deadline = event_loop.time() + delay;
    let mut timer = None;
    std::future::poll_fn(move |context| {
        step06_tasks::check_cancelled()?;
        if event_loop.time() >= deadline {
            return std::task::Poll::Ready(Ok(()));
        }
        if timer.is_none() {
            let waker = context.waker().clone();
            timer = Some(CancelOnDrop(event_loop.call_at(deadline, move || waker.wake())));
        }
        std::task::Poll::Pending
    })
    .await
