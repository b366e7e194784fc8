"""Figures of training: where the time goes, how it scales, who waits for whom, how the loss falls."""
