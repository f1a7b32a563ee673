        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        self.control.begin_step();
        if self.is_cancelled_before_its_first_step() {
            return self.finish(Err(Error::Cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) => {
                *self.coroutine.borrow_mut() = Some(coroutine);
                if self.control.must_cancel.get() && !self.control.cancel_what_it_waits_for() {
                    self.control.waker.wake_by_ref();
                }
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
