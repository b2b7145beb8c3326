"""Every way to compute a model, and the choice between them."""
