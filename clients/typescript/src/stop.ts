/** Return a signal for `finish` that the first SIGINT or SIGTERM aborts. The second one ends the process. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  const names = ["SIGINT", "SIGTERM"] as const;
  const stop = () => {
    for (const name of names) process.off(name, stop);
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  return controller.signal;
}
