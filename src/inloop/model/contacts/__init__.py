"""Contacts: their builder, shapes, normal laws and friction, the element."""
