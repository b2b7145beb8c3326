"""What every page shares: navigation, the one selection, cached calls, words, controls, exports."""
