"""The plant that pages show, live or recorded, with its inputs, device, controller and files."""
