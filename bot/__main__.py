"""`python -m bot` is the same as the `whichgpu` command."""

from bot.cli.main import main

raise SystemExit(main())
