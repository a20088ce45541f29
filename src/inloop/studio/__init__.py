"""The studio page in the browser: its own process, attached to the mailbox of the loop."""
