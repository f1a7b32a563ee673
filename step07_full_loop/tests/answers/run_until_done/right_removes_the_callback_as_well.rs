        let stops = Rc::new(RefCell::new(Some(self.clone())));
        let stopped = Rc::clone(&stops);
        let id = task.add_done_callback(move |_| {
            let event_loop = stopped.borrow_mut().take();
            if let Some(event_loop) = event_loop {
                event_loop.stop();
            }
        });
        let ran = self.run_forever();
        let left = stops.borrow_mut().take();
        drop(left);
        task.remove_done_callback(id);
        ran.and_then(|()| {
            if task.done() {
                task.result().map_err(LoopError::Task)
            } else {
                Err(LoopError::StoppedEarly)
            }
        })
