"""The page in the browser: a process of its own beside the loop, attached to its mailbox."""
