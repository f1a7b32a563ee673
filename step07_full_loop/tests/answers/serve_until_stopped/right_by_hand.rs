    let event_loop = get_running_loop()?;
    let stopped = accepting.clone();
    event_loop.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    let ended = accepting.await;
    event_loop.remove_signal_handler(SIGTERM)?;
    // join_all by hand: a future that's done when the last client has ended.
    let left = clients.tasks();
    let count = std::rc::Rc::new(std::cell::Cell::new(left.len()));
    let last = std::rc::Rc::new(std::cell::RefCell::new(event_loop.create_future::<()>()));
    for client in &left {
        client.cancel();
        let (count, last) = (count.clone(), last.clone());
        client.add_done_callback(move |_| {
            count.set(count.get() - 1);
            if count.get() == 0 {
                let _ = last.borrow().set_result(());
            }
        });
    }
    let again = left.clone();
    let timer = event_loop.call_later(grace, move || {
        for client in &again {
            client.cancel();
        }
    });
    while count.get() > 0 {
        let waiting = last.borrow().clone();
        if waiting.await.is_err() {
            last.replace(event_loop.create_future());
            for client in &left {
                client.cancel();
            }
        }
    }
    timer.cancel();
    let by_signal = current_task().is_none_or(|this| this.cancelling() == 0);
    ended.or_else(|error| if error.is_cancelled() && by_signal { Ok(()) } else { Err(error) })
