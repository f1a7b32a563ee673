        self.left.set(self.left.get() - 1);
        if self.is_over.get() {
            let _ = child.exception();
            return;
        }
        if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            return self.finish(Err(error));
        }
        if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            let results = (self.collect)(children.futures());
            let outcome = children.cancelled().map_or(results, Err);
            self.is_over.set(true);
            let outer = self.outer.upgrade();
            if let Ok(event_loop) = get_running_loop() {
                event_loop.call_soon(move || {
                    if let Some(outer) = outer {
                        let _ = match outcome {
                            Ok(results) => outer.set_result(results),
                            Err(error) => outer.set_exception(error),
                        };
                    }
                });
            }
        }
