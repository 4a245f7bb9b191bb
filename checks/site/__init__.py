"""The site's machinery: quizzes, executed code, recorded numbers, interactive figures and the navigation."""
