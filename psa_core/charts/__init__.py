"""Frames to figures: Vega-Lite, and Plotly for the two of the paper; no arithmetic and no Streamlit."""
