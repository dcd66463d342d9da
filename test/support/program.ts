import { fileURLToPath } from 'node:url';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What Node is given to run the command line, as the scripts of package.json have it. */
export const PROGRAM = ['--import', file('../../src/compile-cache.js'), file('../../src/cli.ts')];
