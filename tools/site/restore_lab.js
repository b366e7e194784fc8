// JupyterLite's kernels never answer which comms they have (jupyterlite/jupyterlite#155), and ipywidgets waits for that
// before it looks for a saved widget. A page's kernels begin with it, so there are none but those it is told of otherwise.
{
  let app;
  const none = async () => ({ content: { status: "ok", comms: {} } });
  Object.defineProperty(window, "jupyterapp", {
    get: () => app,
    set(given) {
      app = given;
      const { kernels } = app.serviceManager;
      const { connectTo } = kernels;
      kernels.connectTo = function (options) {
        const kernel = connectTo.call(this, options);
        kernel.requestCommInfo = none;
        return kernel;
      };
    },
  });
}
