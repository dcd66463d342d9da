import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A developer's own settings must not affect the tests. */
export const NO_ENV_FILE = { FATHOM_ENV_FILE: '/dev/null' };

/** Node's arguments to run a project's CLI, as in the scripts of package.json. */
export const programOf = (project: string) => [
  '--import',
  join(project, 'src', 'app', 'compile-cache.js'),
  join(project, 'src', 'app', 'cli.ts'),
];

export const PROGRAM = programOf(ROOT);
