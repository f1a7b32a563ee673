        let Some(mut coroutine) = self.coroutine.take() else { return };
        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            drop(coroutine);
            return self.finish(Err(cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                if self.control.must_cancel.take() {
                    drop(coroutine);
                    return self.finish(Err(Error::cancelled()));
                }
                self.coroutine.replace(Some(coroutine));
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
