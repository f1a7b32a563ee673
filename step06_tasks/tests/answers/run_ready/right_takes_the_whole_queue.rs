        let _entered = self.enter();
        let batch = self.shared.ready.take();
        let count = batch.len();
        batch.into_iter().for_each(|ready| self.run(ready));
        count
