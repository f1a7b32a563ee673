        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            drop(self.coroutine.borrow_mut().take());
            self.finish(Err(cancelled));
            return;
        }
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(payload) => self.finish(Err(Error::panicked(&*payload))),
        }
