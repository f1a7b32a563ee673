        match std::mem::replace(&mut self.state, State::Ended) {
            State::Start => {
                self.lines.say("What's your name?");
                self.state = State::WaitsForName;
                self.poll(context)
            }
            State::WaitsForName => match self.lines.poll_line(context) {
                Poll::Pending => {
                    self.state = State::WaitsForName;
                    Poll::Pending
                }
                Poll::Ready(Ok(name)) => {
                    self.lines.say("And where are you from?");
                    self.state = State::WaitsForCity { name };
                    self.poll(context)
                }
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            },
            State::WaitsForCity { name } => match self.lines.poll_line(context) {
                Poll::Pending => {
                    self.state = State::WaitsForCity { name };
                    Poll::Pending
                }
                Poll::Ready(city) => Poll::Ready(city.map(|city| {
                    self.lines.say(&format!("Hello {name} from {city}!"));
                    name
                })),
            },
            State::Ended => panic!("it has ended"),
        }
