import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A developer's own settings must not reach the tests. */
export const NO_ENV_FILE = { FATHOM_ENV_FILE: '/dev/null' };

/** What Node is given to run the command line of a project, as the scripts of package.json have it. */
export const programOf = (project: string) => [
  '--import',
  join(project, 'src', 'app', 'compile-cache.js'),
  join(project, 'src', 'app', 'cli.ts'),
];

export const PROGRAM = programOf(ROOT);
