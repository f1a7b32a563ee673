        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        task.add_done_callback(move |_| {
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let _ = self.run_forever();
        waits.set(false);
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
