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
    let again = left.clone();
    let timer = event_loop.call_later(grace, move || {
        for client in &again {
            client.cancel();
        }
    });
    while left.iter().any(|client| !client.done()) {
        let _ = crate::sleep(Duration::from_micros(1)).await;
    }
    timer.cancel();
    let by_signal = current_task().is_none_or(|this| this.cancelling() == 0);
    ended.or_else(|error| if error.is_cancelled() && by_signal { Ok(()) } else { Err(error) })
