        let Some(mut coroutine) = self.coroutine.take() else { return };
        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            drop(coroutine);
            return self.finish(Err(cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => {
                self.control.ended.set(true);
                self.state.queue.forget_task(self.control.id);
                let _ = Future::of(Rc::clone(&self) as Rc<dyn FutureBody<T>>).finish(result);
            },
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
