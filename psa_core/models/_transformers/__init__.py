"""What the transformers plug-ins share: where files are, how they are loaded, heads, adapters, language models."""
