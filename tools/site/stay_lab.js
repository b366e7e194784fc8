// JupyterLite unregisters all workers at a page's second start, and takes its own's script from the network again: with
// the network cut, what its kernel loads then is not found. Once its own worker is in charge, they stay.
if (navigator.serviceWorker) {
  const { unregister } = ServiceWorkerRegistration.prototype;
  ServiceWorkerRegistration.prototype.unregister = function () {
    const inCharge = new URL(navigator.serviceWorker.controller?.scriptURL ?? location.href).pathname;
    return inCharge.endsWith("/lite/service-worker.js") ? Promise.resolve(false) : unregister.call(this);
  };
}
