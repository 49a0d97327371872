"""The command line and the composition root: where the parts are put together and started."""
