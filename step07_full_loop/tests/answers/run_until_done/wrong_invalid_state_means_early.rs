        let is_awaited = Rc::new(Cell::new(true));
        let (event_loop, flag) = (self.clone(), Rc::clone(&is_awaited));
        task.add_done_callback(move |_| {
            if flag.get() {
                event_loop.stop();
            }
        });
        let outcome = self.run_forever();
        is_awaited.set(false);
        outcome?;
        task.result().map_err(|error| match error {
            // There's no result yet.
            step06_tasks::Error::InvalidState(_) => LoopError::StoppedEarly,
            error => LoopError::Task(error),
        })
