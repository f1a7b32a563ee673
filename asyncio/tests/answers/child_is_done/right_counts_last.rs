        if self.is_over.get() {
            let _ = error_of(child);
            return;
        }
        if let Errors::EndTheGathering = self.errors
            && let Err(error) = child.result()
        {
            return self.finish(Err(error));
        }
        self.left.set(self.left.get() - 1);
        let Some(children) = self.children.upgrade() else { return };
        if self.left.get() > 0 {
            return;
        }
        let collected = (self.collect)(children.futures());
        self.finish(if let Some(cancelled) = children.cancelled() {
            Err(cancelled)
        } else {
            collected
        });
