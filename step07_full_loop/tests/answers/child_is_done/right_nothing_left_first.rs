        self.left.replace(self.left.get() - 1);
        match error_of(child) {
            Some(error) if self.errors == Errors::EndTheGathering && !self.is_over.get() => {
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
