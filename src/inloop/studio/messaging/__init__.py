"""What server and page say to each other, and who is at the other end."""
