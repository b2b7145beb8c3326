"""Figures for paper."""
