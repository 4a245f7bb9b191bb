"""What comes out of a batch: a gradebook, Gradescope's results, a page a learner and one for the class."""
