        let count = self.shared.ready.borrow().len();
        for _ in 0..count {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(ready) = next {
                self.run(ready);
            }
        }
        let _entered = self.enter();
        count
