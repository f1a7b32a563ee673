        loop {
            match &mut self.state {
                State::Start => {
                    self.lines.say("What's your name?");
                    self.state = State::WaitsForName;
                }
                State::WaitsForName => {
                    let line = std::task::ready!(self.lines.poll_line(context));
                    self.state = State::Ended;
                    let name = line?;
                    self.lines.say("And where are you from?");
                    self.state = State::WaitsForCity { name };
                }
                State::WaitsForCity { name } => {
                    let name = name.clone();
                    let city = std::task::ready!(self.lines.poll_line(context));
                    self.state = State::Ended;
                    self.lines.say(&format!("Hello {name} from {}!", city?));
                    return Poll::Ready(Ok(name));
                }
                State::Ended => unreachable!("polled after the end"),
            }
        }
