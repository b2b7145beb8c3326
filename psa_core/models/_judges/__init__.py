"""Language models as judges: a question, its answers, and whoever is asked."""
