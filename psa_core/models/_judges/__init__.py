"""Language models as judges: a question, its answers, and the model that is asked."""
