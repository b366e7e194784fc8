from astra_edu.run.chrome_trace import save_chrome_trace as save_chrome_trace
