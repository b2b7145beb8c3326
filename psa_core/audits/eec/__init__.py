"""The Equity Evaluation Corpus (Kiritchenko & Mohammad 2018): sentences, pairs, tests, tables, result folder."""
