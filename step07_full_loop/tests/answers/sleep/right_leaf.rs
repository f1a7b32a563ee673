    struct CancelOnDrop(crate::TimerHandle);
    impl Drop for CancelOnDrop {
        fn drop(&mut self) {
            self.0.cancel();
        }
    }
    match delay {
        Duration::ZERO => yield_now().await,
        delay => {
            let event_loop = get_running_loop()?;
            let deadline = event_loop.time() + delay;
            let mut timer = None;
            std::future::poll_fn(|context| {
                step06_tasks::check_cancelled()?;
                if timer.is_some() && event_loop.time() >= deadline {
                    return std::task::Poll::Ready(Ok(()));
                }
                let waker = context.waker().clone();
                timer = Some(CancelOnDrop(event_loop.call_at(deadline, || waker.wake())));
                std::task::Poll::Pending
            })
            .await
        }
    }
