"""The Answer, its blocks and its wording in each language."""
