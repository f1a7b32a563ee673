        self.check_may_run()?;
        let is_over = Rc::new(Cell::new(false));
        let flag = Rc::clone(&is_over);
        task.add_done_callback(move |_| flag.set(true));
        {
            let _running = RunGuard::start(self);
            loop {
                self.run_once()?;
                if is_over.get() || self.core.stopping.get() {
                    break;
                }
            }
        }
        if task.done() { task.result().map_err(LoopError::Task) } else { Err(LoopError::StoppedEarly) }
