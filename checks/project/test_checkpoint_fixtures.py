"""The recorded checkpoints are what their generator makes, and agree with the NumPy oracle's conversions."""

import numpy as np
import pytest

from checks.fixtures.checkpoint import SIZES, make, recorded
from checks.oracles import checkpoint as oracle


@pytest.mark.parametrize("name", SIZES)
def test_a_recorded_checkpoint_is_made_again(name: str) -> None:
    pytest.importorskip("transformers")
    stored, fresh = recorded(name), make(name)
    assert stored.state.keys() == fresh.state.keys()
    assert all(np.array_equal(stored.state[key], fresh.state[key]) for key in stored.state)
    assert stored.config == fresh.config
    for field in stored._fields[3:]:
        # Another machine may add in another order.
        np.testing.assert_allclose(getattr(stored, field), getattr(fresh, field), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", SIZES)
def test_the_oracle_goes_there_and_back(name: str) -> None:
    family, config, state, *_ = recorded(name)
    back = oracle.theirs(oracle.ours(state, family, config), family, config)
    assert back.keys() == state.keys()
    assert all(np.array_equal(back[key], state[key]) for key in state)


@pytest.mark.parametrize("family", ["bert", "albert"])
def test_made_checkpoints_have_every_name(family: str) -> None:
    config = oracle.config_of(family)
    assert oracle.made(family, config, np.random.default_rng(0)).keys() == oracle.table(family, config).keys()
