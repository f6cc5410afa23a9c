"""One module a command: HELP, configure(parser), run(args)."""
