        let _entered = self.enter();
        let count = self.shared.ready.borrow().len();
        for _ in 0..count {
            if let Some(runnable) = self.shared.ready.borrow_mut().pop_front() {
                self.run(runnable);
            }
        }
        count
