"""``sfumato serve``: the verbs as a REST API, for whoever has a token; what one token has, no other sees."""
