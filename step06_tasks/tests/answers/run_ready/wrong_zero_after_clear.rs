        let _entered = self.enter();
        let count = self.shared.ready.borrow().len();
        for _ in 0..count {
            let ready = self.shared.ready.borrow_mut().pop_front();
            match ready {
                Some(ready) => self.run(ready),
                // The queue was cleared: nothing of this round is left.
                None => return 0,
            }
        }
        count
