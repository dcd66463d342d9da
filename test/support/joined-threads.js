import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Loaded before all threads of a test's process. One that the program starts there begins with the file that the joined
// program has for it: to find and load its sources took half of what an import does. See test/setup/program.ts.
const SOURCES = new URL('../../src/', import.meta.url).href;
const program = process.env.FATHOM_TEST_PROGRAM;

if (!isMainThread && program !== undefined) {
  const joined = new URL('../', new URL(`file://${program}`)).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL !== undefined || !specifier.startsWith(SOURCES))
        return next(specifier, context);
      const file = joined + specifier.slice(SOURCES.length).replace(/\.ts$/, '.mjs');
      return next(existsSync(fileURLToPath(file)) ? file : specifier, context);
    },
  });
}
