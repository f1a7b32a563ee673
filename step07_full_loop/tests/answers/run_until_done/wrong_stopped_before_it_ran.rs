        {
            let _running = RunGuard::start(self);
            let stopped = Rc::new(Cell::new(false));
            let flag = Rc::clone(&stopped);
            task.add_done_callback(move |_| flag.set(true));
            while !stopped.get() && !self.core.stopping.get() {
                self.run_once()?;
            }
        }
        if task.done() { task.result().map_err(LoopError::Task) } else { Err(LoopError::StoppedEarly) }
