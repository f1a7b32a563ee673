    let event_loop = get_running_loop()?;
    let stopped = accepting.clone();
    event_loop.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;

    let left = clients.tasks();
    left.iter().for_each(|client| {
        client.cancel();
    });
    let late = left.clone();
    let timer = event_loop.call_later(grace.min(Duration::from_hours(24)), move || {
        late.iter().for_each(|client| {
            client.cancel();
        });
    });
    let _ = join_all(left).await;
    timer.cancel();

    let was_asked = current_task().is_some_and(|this| this.cancelling() > 0);
    match ended {
        Err(error) if was_asked || !error.is_cancelled() => Err(error),
        Ok(()) if was_asked => Err(Error::cancelled()),
        _ => Ok(()),
    }
