        let _entered = self.enter();
        let mut batch = std::mem::take(&mut *self.shared.ready.borrow_mut());
        let count = batch.len();
        while let Some(ready) = batch.pop_front() {
            self.run(ready);
        }
        count
