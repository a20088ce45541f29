"""Equations in redundant coordinates: every body moves by itself, coupled by the joint forces."""
