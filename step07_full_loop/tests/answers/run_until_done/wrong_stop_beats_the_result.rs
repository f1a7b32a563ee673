        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        task.add_done_callback(move |_| {
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let was_told = Rc::new(Cell::new(false));
        let told = Rc::clone(&was_told);
        task.add_done_callback(move |_| told.set(true));
        let ran = self.run_forever();
        waits.set(false);
        ran?;
        if !was_told.get() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
