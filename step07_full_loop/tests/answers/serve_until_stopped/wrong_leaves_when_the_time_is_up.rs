    let event_loop = get_running_loop()?;
    let stopped = accepting.clone();
    event_loop.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;
    let left = clients.tasks();
    for client in &left {
        client.cancel();
    }
    let end = event_loop.time() + grace;
    while left.iter().any(|client| !client.done()) && event_loop.time() < end {
        crate::sleep(Duration::from_micros(100)).await?;
    }
    for client in &left {
        client.cancel();
    }
    let by_signal = current_task().is_none_or(|this| this.cancelling() == 0);
    ended.or_else(|error| if error.is_cancelled() && by_signal { Ok(()) } else { Err(error) })
