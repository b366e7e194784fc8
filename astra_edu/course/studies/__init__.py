"""What the lectures go into beyond the simulator: endpoints, memory, synchronisation, case studies, measurements."""
