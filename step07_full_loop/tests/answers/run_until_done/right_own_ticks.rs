        self.check_may_run()?;
        let has_ended = Rc::new(Cell::new(false));
        let flag = Rc::clone(&has_ended);
        task.add_done_callback(move |_| flag.set(true));
        let _running = RunGuard::start(self);
        while !has_ended.get() {
            self.run_once()?;
            if self.core.stopping.get() {
                break;
            }
        }
        if task.done() { task.result().map_err(LoopError::Task) } else { Err(LoopError::StoppedEarly) }
