// Loaded before anything else, hence not TypeScript. The first process of a container ignores a signal that nothing
// handles, and `handleSignals` takes a second or two of reading sources until it's there: a stop that came before was
// lost, and the container ran on until it was killed, with requests in flight. Other commands need none: they may be in
// a long statement, which a handler would wait for.
if (process.argv[2] === 'serve') {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      // As `handleSignals` ends a start, unless it's there by now.
      if (process.listenerCount(signal) === 1) process.exit();
    });
  }
}
