"""What the targets share whose tasks are run by a script: texts as words of a shell, commands, devices, archives."""
