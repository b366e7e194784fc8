"""Where more bytes are sent than the links carry, the figure of utilisation says so."""

import pytest

pytest.importorskip("matplotlib")

import astra_edu as ae


@pytest.mark.parametrize(("how", "said"), [("direct", True), ("halvingDoubling", False)])
def test_what_the_links_cannot_carry_is_said(how, said):
    switch = ae.Platform(ae.Dimension.of("Switch", 64, 50, 500), ae.SystemConfig.of(how))
    run = ae.simulate(ae.Workload.micro("all-reduce", 2**30), switch)
    picture = ae.plots.utilisation({how: run})
    assert ("On dimension 0 there are more bytes than the links can carry." in picture.alt) is said
    assert ("more than the links can carry" in picture.table) is said
