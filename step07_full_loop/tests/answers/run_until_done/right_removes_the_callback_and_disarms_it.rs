        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        let id = task.add_done_callback(move |_| {
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let ran = self.run_forever();
        waits.set(false);
        task.remove_done_callback(id);
        ran?;
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
