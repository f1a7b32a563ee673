    async fn finish(left: Vec<Task<()>>, grace: Duration) -> Result<()> {
        left.iter().for_each(|client| { client.any().cancel(); });
        let all_ended = create_task(join_all(left))?;
        let late = all_ended.any();
        let timer = get_running_loop()?.call_later(grace, move || { late.cancel(); });
        let outcome = all_ended.await;
        timer.cancel();
        outcome.map(drop)
    }
    let event_loop = get_running_loop()?;
    let stopped = accepting.any();
    event_loop.add_signal_handler(SIGTERM, move || { stopped.cancel(); })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;
    let _ = finish(clients.tasks(), grace).await;
    match (ended, current_task()) {
        (Err(error), Some(this)) if error.is_cancelled() && this.cancelling() == 0 => Ok(()),
        (ended, _) => ended,
    }
