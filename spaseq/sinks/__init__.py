"""Where results go that leave a run: topics, servers, folders."""
