"""What is kept on disk: result folders written all or nothing, a cube as one file, what readers judged."""
