"""Streams that come in messages: from brokers and sockets, by the schemes of their URLs."""
