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
    let all_ended = create_task(join_all(left))?;
    let late = all_ended.clone();
    let watchdog = create_task(async move {
        crate::sleep(grace).await?;
        late.cancel();
        Ok(())
    })?;
    let _ = all_ended.await;
    watchdog.cancel();
    let was_asked = current_task().is_some_and(|this| this.cancelling() > 0);
    match ended {
        Err(error) if error.is_cancelled() && !was_asked => Ok(()),
        outcome => outcome,
    }
