        let _entered = self.enter();
        let todo = self.shared.ready.borrow().len();
        let mut ran = 0;
        while ran < todo {
            let next = self.shared.ready.borrow_mut().pop_front();
            match next {
                Some(Runnable::Callback(handle)) if handle.cancelled() => {}
                Some(ready) => {
                    ran += 1;
                    self.run(ready);
                }
                None => break,
            }
        }
        todo
