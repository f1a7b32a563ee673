        self.left.replace(self.left.get() - 1);
        let may_wait = self.errors == Errors::AreResults && !self.is_over.get();
        match (!may_wait).then(|| error_of(child)).flatten() {
            Some(error) if !self.is_over.get() => {
                self.finish(Err(error));
            }
            _ if self.left.get() != 0 || self.is_over.get() => {}
            _ => {
                if let Some(children) = self.children.upgrade() {
                    let results = (self.collect)(children.futures());
                    self.finish(children.cancelled().map_or(results, Err));
                }
            }
        }
