        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        task.add_done_callback(move |_| {
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let ran = self.run_forever();
        waits.set(false);
        if task.done() {
            return task.result().map_err(LoopError::Task);
        }
        ran.and(Err(LoopError::StoppedEarly))
