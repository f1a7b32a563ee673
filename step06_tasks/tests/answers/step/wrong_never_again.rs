        // The task may never be queued again: begin_step is missing.
        let Some(mut coroutine) = self.coroutine.take() else { return };
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            drop(coroutine);
            return self.finish(Err(cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                *self.coroutine.borrow_mut() = Some(coroutine);
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
