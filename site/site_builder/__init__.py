"""What builds the site of the documentation: hooks of MkDocs, and the pages that are made."""
