        self.left.set(self.left.get() - 1);
        if self.is_over.get() {
            let _ = child.exception();
            return;
        }
        if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            self.finish(Err(error));
            if let Some(children) = self.children.upgrade() {
                for other in children.futures() {
                    other.cancel();
                }
            }
            return;
        }
        if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        }
