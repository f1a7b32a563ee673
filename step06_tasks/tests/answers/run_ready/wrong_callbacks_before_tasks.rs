        let _entered = self.enter();
        let todo = self.shared.ready.borrow().len();
        for _ in 0..todo {
            let mut ready = self.shared.ready.borrow_mut();
            let first = ready.iter().position(|it| !matches!(it, Runnable::Callback(it) if it.cancelled()));
            let next = first.and_then(|index| ready.remove(index));
            drop(ready);
            if let Some(next) = next {
                self.run(next);
            }
        }
        todo
