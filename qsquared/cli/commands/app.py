"""The typer application `q2` and its groups, to which each module of commands adds its own."""

from qsquared.cli.help_pages import command_group

app = command_group("q2", no_args_is_help=False)
models_app = command_group("models", help="The models that profiles name.")
app.add_typer(models_app, name="models")
formats_app = command_group("formats", help="The formats of logs, and descriptions of your own.")
app.add_typer(formats_app, name="formats")
