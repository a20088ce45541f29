"""Whether a run is to be trusted: its energy balance, its loops, its step against what is stiff."""
