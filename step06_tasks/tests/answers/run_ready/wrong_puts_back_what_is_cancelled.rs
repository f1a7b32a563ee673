        let _entered = self.enter();
        let todo = self.shared.ready.borrow().len();
        for _ in 0..todo {
            let next = self.shared.ready.borrow_mut().pop_front();
            match next {
                Some(Runnable::Callback(handle)) if handle.cancelled() => {
                    self.push_last(Runnable::Callback(handle));
                }
                Some(other) => self.run(other),
                None => {}
            }
        }
        todo
