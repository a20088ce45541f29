"""The plant that pages see: one that runs, or a recording; its inputs, its device, its files."""
