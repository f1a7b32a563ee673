    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let future = event_loop.create_future();
    let over = future.clone();
    let timer = event_loop.call_later(delay, move || drop(over.set_result(())));
    let outcome = future.await;
    timer.cancel();
    outcome
