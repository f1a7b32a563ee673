        let Some(mut coroutine) = self.coroutine.take() else { return };
        if self.is_cancelled_before_its_first_step() {
            drop(coroutine);
            return self.finish(Err(Error::Cancelled));
        }
        let resumed = self.resume(coroutine.as_mut());
        self.control.begin_step();
        match resumed {
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
