    let event_loop = get_running_loop()?;
    let stopped = accepting.clone();
    event_loop.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;

    let deadline = (event_loop.time() - step04_timers::Time::ZERO) + grace;
    let deadline = step04_timers::Time::ZERO + deadline;

    let left = clients.tasks();
    for client in &left {
        client.cancel();
    }
    let all_ended = create_task(join_all(left))?;
    let late = all_ended.clone();
    let timer = event_loop.call_at(deadline, move || {
        late.cancel();
    });
    let _ = all_ended.await;
    timer.cancel();

    let was_asked = current_task().is_some_and(|this| this.cancelling() > 0);
    match ended {
        Err(error) if was_asked || !error.is_cancelled() => Err(error),
        Ok(()) if was_asked => Err(Error::cancelled()),
        _ => Ok(()),
    }
