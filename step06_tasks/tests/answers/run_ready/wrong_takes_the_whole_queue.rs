        let _entered = self.enter();
        let ready = self.shared.ready.take();
        let count = ready.len();
        for runnable in ready {
            self.run(runnable);
        }
        count
