"""Running the three layers together: simulate, what a run has brought, presets, exports and reports."""
