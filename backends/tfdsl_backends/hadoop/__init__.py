"""What the targets of Hadoop, yarn and slider, have in common."""
