"""What the server offers: one feature, one file."""
