"""What every part needs: errors for people, units, stretches of time, files, progress."""
