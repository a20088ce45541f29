"""Messages between server and page, and the connected clients."""
