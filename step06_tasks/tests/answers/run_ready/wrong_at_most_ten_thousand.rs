        let _entered = self.enter();
        let todo = self.shared.ready.borrow().len().min(10_000);
        for _ in 0..todo {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(ready) = next {
                self.run(ready);
            }
        }
        todo
