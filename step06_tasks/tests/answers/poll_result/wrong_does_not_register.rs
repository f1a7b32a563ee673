        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        context.waker().wake_by_ref();
        Poll::Pending
