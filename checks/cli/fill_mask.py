"""`litebert fill-mask`: a published checkpoint in the course's own model, asked for a missing word."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from checks.subject.world import World

subject_choice = click.option(
    "--subject",
    default=None,
    metavar="[solutions|lessons|PATH]",
    help="Whose code does the work. Default: solutions where they are, else lessons.",
)


@click.command("fill-mask")
@click.argument("text")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder with config.json, model.safetensors and tokenizer files.",
)
@click.option("--hub", metavar="NAME", help="Fetch the checkpoint from the Hugging Face hub instead.")
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="Words shown a mask.")
@subject_choice
def command(text: str, checkpoint: Path | None, hub: str | None, top: int, subject: str | None) -> None:
    """Show the most probable words for each [MASK] in TEXT.

    The checkpoint is a BERT or an ALBERT with its masked-word head, as `save_pretrained` writes it. It runs in
    the course's model: your own with `--subject lessons`. Tokens are shown as the vocabulary has them: `##`
    continues a word, `▁` begins one. Nothing is fetched from a network without --hub.

    \b
    Examples:
      litebert fill-mask --checkpoint bert-base-uncased/ "the capital of france is [MASK] ."
      litebert fill-mask --hub albert/albert-base-v2 --top 3 "the capital of france is [MASK]."
    """
    if (checkpoint is None) == (hub is None):
        raise click.UsageError("give --checkpoint DIR or --hub NAME, one of them")
    world = world_of(subject)
    from checks.huggingface.configs import read_spec
    from checks.huggingface.folder import ALL_FILES, existing_folder, fetch
    from checks.huggingface.predict import best_guesses, encode, mask_logits
    from checks.huggingface.tokenizer import open_tokenizer
    from checks.huggingface.weights import load_model

    folder = fetch(hub, ALL_FILES) if hub else existing_folder(checkpoint or Path())
    spec = read_spec(folder)
    tokenizer = open_tokenizer(folder)
    encoded = encode(tokenizer, text, spec.config.max_len, spec.config.vocab_size)
    model = load_model(folder, spec, world.load("checkpoint").from_huggingface, warn)
    click.echo(f"{hub or folder}: {model_line(spec)}. Code: {world.root}")
    guesses = best_guesses(mask_logits(model, encoded), tokenizer, top)
    width = max(len(guess.token) for row in guesses for guess in row)
    for number, row in enumerate(guesses, 1):
        if len(guesses) > 1:
            click.echo(f"[MASK] {number} of {len(guesses)}")
        for guess in row:
            click.echo(f"  {guess.token:<{width}}  {guess.probability:8.3%}")


def world_of(subject: str | None) -> "World":
    """The lessons of the subject, in this process."""
    from checks.cli.capstone import subject_root
    from checks.subject.locate import LEVELS
    from checks.subject.world import World

    if subject and subject.startswith(tuple(LEVELS)):
        raise click.UsageError(f"--subject: got {subject!r}, expected code that may run in this process")
    return World(subject_root(subject), None)


def warn(message: str) -> None:
    """A warning on stderr."""
    click.echo(click.style("warning: ", fg="yellow") + message, err=True)


def model_line(spec: Any) -> str:
    """The kind of model and its sizes in a few words."""
    config, family = spec.config, {"bert": "BERT", "albert": "ALBERT"}[spec.family]
    return f"{family}, {config.n_layers} layers of {config.d_model}, vocabulary {config.vocab_size:,}"
