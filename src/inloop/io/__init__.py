"""Files: mechanisms of others (`load`), plants for other programs and boards, pages, recordings."""
