"""What the server can tell about a text: one feature, one file."""
