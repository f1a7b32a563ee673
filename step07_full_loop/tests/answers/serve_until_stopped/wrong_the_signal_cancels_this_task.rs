    let event_loop = get_running_loop()?;
    let this = current_task().ok_or(Error::InvalidState("no task"))?;
    let by_signal = std::rc::Rc::new(std::cell::Cell::new(false));
    let (stopped, noted) = (this.clone(), std::rc::Rc::clone(&by_signal));
    event_loop.add_signal_handler(SIGTERM, move || {
        if !noted.replace(true) {
            stopped.cancel();
        }
    })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;
    if by_signal.get() {
        this.uncancel();
    }

    let left = clients.tasks();
    for client in &left {
        client.cancel();
    }
    let all_ended = create_task(join_all(left))?;
    let late = all_ended.clone();
    let timer = event_loop.call_later(grace, move || {
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
