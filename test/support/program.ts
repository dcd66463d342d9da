import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Node's arguments for a program whose threads don't give way to others. */
export const SAME_PRIORITY = ['--import', new URL('same-priority.js', import.meta.url).href];

/** Node's arguments for a test's process, where the program's threads start from the joined files. */
export const JOINED_THREADS = ['--import', new URL('joined-threads.js', import.meta.url).href];

/** A developer's own settings must not affect the tests. */
export const NO_ENV_FILE = { FATHOM_ENV_FILE: '/dev/null' };

const COMPILE_CACHE = ['src', 'app', 'compile-cache.js'];

/** Node's arguments to run a project's CLI from its sources, as in the scripts of package.json. */
export const programOf = (project: string) => [
  '--import',
  join(project, ...COMPILE_CACHE),
  join(project, 'src', 'cli', 'main.ts'),
];

/** The CLI as it is shipped, for tests of how it starts and what it loads. */
export const SOURCES = programOf(ROOT);

/** The same, joined into few files, which takes a third off each start; see test/setup/program.ts. */
export const PROGRAM =
  process.env.FATHOM_TEST_PROGRAM === undefined
    ? SOURCES
    : ['--import', join(ROOT, ...COMPILE_CACHE), process.env.FATHOM_TEST_PROGRAM];

/**
 * The clock, time zone and language of this process, for programs that get no more of its environment. One with another
 * clock would take the chains of a test to lie in the future; see .ci/moved-clock.
 */
export const SAME_CLOCK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(LD_PRELOAD|FAKETIME.*|TZ|LANG)$/.test(name)),
);

/** Tests' own programs that are joined too: to find and load their sources took a second and more. */
export const OWN_PROGRAMS = {
  beginRuns: 'test/support/begin-runs.ts',
  busyShutdown: 'test/support/busy-shutdown.ts',
  heldShutdown: 'test/support/held-shutdown.ts',
  keepRoles: 'test/support/discord/keep-roles.ts',
  runReplica: 'test/support/discord/run-replica.ts',
  terminalChat: 'test/support/terminal-chat/serve.ts',
};

/** The file to start. */
export function ownProgram(name: keyof typeof OWN_PROGRAMS): string {
  const file = OWN_PROGRAMS[name];
  const program = process.env.FATHOM_TEST_PROGRAM;
  if (program === undefined) return join(ROOT, file);
  return join(program, '../../..', file.replace(/\.ts$/, '.mjs'));
}

/** The same, and where Node keeps what it has compiled, for programs of tests. */
export const OWN_PROGRAM = {
  ...SAME_CLOCK,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
