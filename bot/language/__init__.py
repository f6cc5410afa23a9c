"""Understanding a question: from text to a Request."""
