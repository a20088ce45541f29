"""What a run leaves: samples, events, figures, tables, files."""
