"""Language models as writers: what they write about one value and another (Huang et al. 2020)."""
