"""The corpora of the course. Every one has the same form: a document is a list of sentence texts.

    toy()                              a hand-written corpus of short everyday stories
    stories(n, seed, world="small")    endless seeded stories from a small world whose optimum is known
    read(*paths)                       your own text files
    split(documents, held_out, seed)   a train and a held-out part, by document

All return `list[list[str]]` (`split` returns two of them) and leave every global random state alone.

What the best possible model reaches on stories is in `corpora.optimum` (MLM floor, Bayes accuracy),
`corpora.lines` (unigram and other lines above it) and `corpora.scored` (the same on given held-out pairs).
"""

from lessons.given.corpora.documents import CorpusError, split
from lessons.given.corpora.reader import iterate, read
from lessons.given.corpora.sentences import split_sentences
from lessons.given.corpora.stories import stories, story_words, words_to_documents
from lessons.given.corpora.toy import toy
from lessons.given.corpora.world import World
from lessons.given.corpora.worlds import WORLDS, find_world

__all__ = [
    "WORLDS",
    "CorpusError",
    "World",
    "find_world",
    "iterate",
    "read",
    "split",
    "split_sentences",
    "stories",
    "story_words",
    "toy",
    "words_to_documents",
]
