"""``python -m qsquared.flows.prefect_api.api_process FD``: Prefect's API on an open socket.

`embedded_prefect` starts it, and it ends with the run that it records.
"""

import gc
import sys


def serve(descriptor: int) -> None:
    """Answer on a socket until a signal asks for the end.

    None of the thousands of objects that Prefect's import makes is ever garbage, and the search for
    garbage among them takes a third of the start.
    """
    gc.disable()
    import uvicorn
    from prefect.server.api.server import create_app

    app = create_app()
    gc.freeze()
    gc.enable()
    uvicorn.run(app, fd=descriptor, log_level="error")


if __name__ == "__main__":
    serve(int(sys.argv[1]))
