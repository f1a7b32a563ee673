    let event_loop = get_running_loop()?;
    let by_signal = std::rc::Rc::new(std::cell::Cell::new(false));
    let (stopped, noted, inner) = (accepting.clone(), by_signal.clone(), event_loop.clone());
    event_loop.add_signal_handler(SIGTERM, move || {
        noted.set(true);
        stopped.cancel();
        let _ = inner.remove_signal_handler(SIGTERM);
    })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;
    let Some(this) = current_task() else { return ended };
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
    match ended {
        Err(error) if !error.is_cancelled() => Err(error),
        _ if this.cancelling() > 0 => Err(step06_tasks::Error::cancelled()),
        ended => if by_signal.get() { Ok(()) } else { ended },
    }
