"""The picture of one layer shared in depth shows what the reference's encoder does."""

import numpy as np
import pytest
import torch

from checks.site import depth
from solutions.encoders import ALBERTEncoder

STEPS, SEED = 6, 4


def through_the_reference(steps: int) -> np.ndarray:
    """The first token after `steps` applications of the reference's shared layer, by the figure's weights."""
    case = depth.case(STEPS, SEED)
    encoder = ALBERTEncoder(case["config"]).double().eval()
    weights = {name: x for name, x in case["weights"].items() if name.startswith("layers.0.")}
    encoder.load_state_dict({name: torch.from_numpy(x) for name, x in weights.items()})
    encoder.n_layers = steps
    with torch.no_grad():
        return np.asarray(encoder(torch.from_numpy(case["hidden"]))[0, 0])


def test_the_hidden_states_are_those_of_the_reference() -> None:
    path = depth.states(STEPS, SEED, shared=True)
    np.testing.assert_allclose(path[1:], [through_the_reference(n) for n in range(1, STEPS + 1)], atol=1e-10)


def test_hidden_states_differ_at_every_depth_although_the_weights_do_not() -> None:
    path = depth.states(STEPS, SEED, shared=True)
    assert all(
        np.abs(path[i] - path[j]).max() > 0.1 for i in range(STEPS + 1) for j in range(STEPS + 1) if i != j
    )


def test_the_first_step_is_the_same_with_and_without_sharing() -> None:
    shared, own = (depth.states(STEPS, SEED, shared=kind) for kind in (True, False))
    np.testing.assert_array_equal(shared[:2], own[:2])
    assert np.abs(shared[2] - own[2]).max() > 0.1


def test_the_drawing_has_a_bar_for_every_number_and_a_table() -> None:
    html = depth.depth({"steps": STEPS, "seed": SEED})
    assert html.count('class="lb-depth__up"') + html.count('class="lb-depth__down"') == 8 * (STEPS + 1)
    assert html.count('<th scope="row">') == STEPS + 1


def test_a_depth_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="steps: got 1, expected 2 to 8"):
        depth.depth({"steps": 1})
