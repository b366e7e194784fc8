"""Faults in calibrated devices and platforms, and in what estimates make of them."""

from tools.mutants.fault import Fault

TESTS = "tests/measured/test_calibrated.py::test_"
PRODUCT = f"{TESTS}a_product_takes_the_same_in_a_prediction_an_estimate_and_by_its_formula"
ESTIMATE = f"{TESTS}an_estimate_has_what_its_device_s_calibration_says"
NEAR = f"{TESTS}estimates_on_calibrated_devices_are_near_predictions_and_measured_runs"
SEARCH = f"{TESTS}a_search_finds_what_estimates_of_all_say_and_traces_and_workloads_take_such_a_device"
PARTS = "astra_edu/explore/iteration/parts.py"
STEPS = "astra_edu/explore/iteration/operator_steps.py"

FAULTS = [
    Fault(
        "device: attention goes by tiles, whatever share it reaches",
        "astra_edu/workload/compute/device.py",
        'if gemm.kernel == "attention" and self.attention_efficiency is not None:',
        'if gemm.kernel == "none" and self.attention_efficiency is not None:',
        PRODUCT,
    ),
    Fault(
        "kernels: all experts' products are launched at once",
        "astra_edu/workload/compute/kernels.py",
        'gemm.count if self.each_expert and gemm.kernel == "experts" else 1',
        "1",
        PRODUCT,
    ),
    Fault(
        "estimate: adding up gradients takes no time",
        "astra_edu/workload/strategies/precision.py",
        "parameters * device.calibration.sum_bytes",
        "parameters * 0",
        ESTIMATE,
    ),
    Fault(
        "estimate: collectives begin at once",
        PARTS,
        "device.calibration.collective_ns if device and device.calibration else 0",
        "0",
        ESTIMATE,
    ),
    Fault(
        "estimate: a calibrated range is that of peaks",
        "astra_edu/explore/iteration/beside.py",
        "        return device.calibration\n",
        "        return None\n",
        ESTIMATE,
    ),
    Fault(
        "estimate: the host is as quick with stages on several nodes",
        STEPS,
        "and len(platform.network) > 1",
        "and len(platform.network) > 9",
        f"{TESTS}the_host_takes_longer_only_where_stages_are_on_several_nodes",
    ),
    Fault(
        "estimate: each operator's gradients are a collective of their own",
        STEPS,
        "buckets=_buckets(about, strategy, sent) if device.calibration else None",
        "buckets=None",
        NEAR,
    ),
    Fault(
        "traces: adding up gradients takes no time",
        "astra_edu/traces/passes_of_operators.py",
        "return ns + adding_ns(self._device, strategy, operator) if phase == WEIGHT_GRADIENT else ns",
        "return ns",
        SEARCH,
    ),
]
