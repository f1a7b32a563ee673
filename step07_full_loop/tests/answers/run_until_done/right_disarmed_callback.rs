        let is_waited_for = Rc::new(Cell::new(true));
        let (event_loop, is_armed) = (self.clone(), Rc::clone(&is_waited_for));
        task.add_done_callback(move |_| {
            // If we've been stopped early, the end of the task mustn't stop a later run.
            if is_armed.get() {
                event_loop.stop();
            }
        });
        let ended = self.run_forever();
        is_waited_for.set(false);
        ended?;
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
