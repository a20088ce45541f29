"""Kinds of links of `inloop link`, one file each."""
