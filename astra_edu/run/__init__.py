"""Running the three layers together: simulate, what a run has brought, presets, exports and reports."""

from astra_edu.run.chrome_trace import save_chrome_trace

__all__ = ["save_chrome_trace"]
