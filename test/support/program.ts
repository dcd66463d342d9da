import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Node's arguments for a program whose threads don't give way to others. */
export const SAME_PRIORITY = ['--import', new URL('same-priority.js', import.meta.url).href];

/** A developer's own settings must not affect the tests. */
export const NO_ENV_FILE = { FATHOM_ENV_FILE: '/dev/null' };

/** Node's arguments to run a project's CLI, as in the scripts of package.json. */
export const programOf = (project: string) => [
  '--import',
  join(project, 'src', 'app', 'compile-cache.js'),
  join(project, 'src', 'cli', 'main.ts'),
];

export const PROGRAM = programOf(ROOT);

/**
 * The clock, time zone and language of this process, for programs that get no more of its environment. One with another
 * clock would take the chains of a test to lie in the future; see .ci/moved-clock.
 */
export const SAME_CLOCK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(LD_PRELOAD|FAKETIME.*|TZ|LANG)$/.test(name)),
);
