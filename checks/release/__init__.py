"""What is handed out: the learners' tree, Gradescope's autograder, GitHub Classroom's workflow."""
