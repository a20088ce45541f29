"""Results of a run: samples, events, figures, tables, files."""
