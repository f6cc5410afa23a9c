"""The Discord shell: every surface makes a Question, calls the assistant and renders the Answer."""
