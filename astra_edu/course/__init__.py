"""The course: studies, figures, widgets and what judges exercises. Nothing of the simulator imports it."""
