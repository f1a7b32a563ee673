    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let handle = event_loop.handle();
    let waker = std::future::poll_fn(|context| std::task::Poll::Ready(context.waker().clone())).await;
    let is_over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flag = std::sync::Arc::clone(&is_over);
    std::thread::spawn(move || {
        std::thread::sleep(delay);
        flag.store(true, std::sync::atomic::Ordering::SeqCst);
        waker.wake();
        drop(handle);
    });
    std::future::poll_fn(|_| {
        if is_over.load(std::sync::atomic::Ordering::SeqCst) {
            std::task::Poll::Ready(Ok(()))
        } else {
            std::task::Poll::Pending
        }
    })
    .await
