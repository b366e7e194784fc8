"""Faults in what is predicted of measured training runs: frameworks' rules, whose memory is logged, what goes once."""

from tools.mutants.fault import Fault

PREDICT = "tests/measured/test_predict.py::test_"
STAGES = "tests/measured/test_stages.py::test_"

FAULTS = [
    Fault(
        "measured: a stage ends with the last block that is within its share",
        "astra_edu/measured/jobs.py",
        "ceil((blocks + head) * (s + 1) / stages - 1e-9)",
        "int((blocks + head) * (s + 1) / stages)",
        f"{PREDICT}nanotron_s_stages_end_with_the_block_that_fills_their_share",
    ),
    Fault(
        "measured: whatever is logged, memory is of the NPU that keeps most",
        "astra_edu/measured/kept.py",
        "_of_stage(job, given, 0) if job.stack.logs_first else kept_of(job, given)",
        "kept_of(job, given)",
        f"{PREDICT}nanotron_logs_the_first_stage_s_memory_and_a_job_fits_only_if_all_do",
    ),
    Fault(
        "measured: the host is late in every pipeline",
        "astra_edu/measured/step.py",
        "if cut.pipeline > 1 and cut.npus > job.machine.node:",
        "if cut.pipeline > 1:",
        f"{PREDICT}the_host_is_late_only_where_stages_are_on_several_nodes",
    ),
    Fault(
        "measured: DDP's gradients hide behind the forward pass, too",
        "astra_edu/measured/step.py",
        "left - BACKWARD * busy.total / cut.micro_batches",
        "left - busy.total / cut.micro_batches",
        f"{PREDICT}ddp_hides_gradients_behind_the_last_backward_pass",
    ),
    Fault(
        "measured: each copy of a token goes to its node by itself",
        "astra_edu/measured/clock.py",
        "far = (nodes - 1) * met * size / copies / self.exchange_nic",
        "far = (nodes - 1) / nodes * size / self.exchange_nic",
        f"{PREDICT}tokens_for_several_experts_of_a_node_go_there_once",
    ),
    Fault(
        "measured: only the last stage's turn makes the first wait",
        "astra_edu/measured/stages.py",
        "for turn in range(stage, len(self.stages)))",
        "for turn in {stage, len(self.stages) - 1})",
        f"{STAGES}a_stage_waits_for_the_forward_passes_of_the_next",
    ),
]
