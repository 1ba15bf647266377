"""How holders talk: messages, one holder's side of a conversation, envelopes on the wire, and who is believed to be whom."""
