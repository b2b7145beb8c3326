"""Nationality of names and perplexity (Barriere & Cifuentes 2024): people in texts, draws, tables, result folder."""
