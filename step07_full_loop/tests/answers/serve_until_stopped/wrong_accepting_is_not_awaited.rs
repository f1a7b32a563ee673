    let event_loop = get_running_loop()?;
    let stop = event_loop.create_future::<()>();
    let (by_signal, by_error) = (stop.clone(), stop.clone());
    event_loop.add_signal_handler(SIGTERM, move || drop(by_signal.set_result(())))?;
    accepting.add_done_callback(move |_| drop(by_error.set_result(())));
    let stopped = stop.await;
    event_loop.remove_signal_handler(SIGTERM)?;
    accepting.cancel();
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
    match accepting.exception() {
        Ok(Some(error)) => Err(error),
        _ => stopped,
    }
