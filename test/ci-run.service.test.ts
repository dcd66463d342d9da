import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from './support/import-cli.ts';

const PROGRAM = fileURLToPath(new URL('../.ci/run', import.meta.url));
/** What it would install. */
const PROGRAMS = [
  ...['chromium', 'chromium-headless-shell', 'redis-server', 'pgbouncer', 'nginx', 'faketime'],
];

/** Runs it with another npm, which does what each script says, and nothing for the others. */
function run(scripts: Record<string, string>) {
  const folder = temporaryFolder();
  const cases = Object.entries({ 'test:moved-clock': GOOD, ...scripts }).map(
    ([name, shell]) => `'run ${name}') ${shell} ;;`,
  );
  write('npm', `case "$1 $2" in\n${cases.join('\n')}\n*) true ;;\nesac`);
  for (const name of PROGRAMS) write(name, 'true');
  function write(name: string, shell: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${shell}\n`, { mode: 0o755 });
  }
  const PATH = [folder, process.env.PATH].join(delimiter);
  const { status, stdout } = spawnSync(PROGRAM, { env: { PATH }, encoding: 'utf8' });
  return { status, last: stdout.trimEnd().split('\n').at(-1) };
}

const GOOD = 'echo "7 passed, 0 failed"';

it.each([
  ['both hold', { test: 'echo "5 passed, 0 failed"', 'test:ci': GOOD }, 0, '12 passed, 0 failed'],
  [
    'some are skipped',
    {
      test: 'echo "5 passed, 0 failed, 3 skipped"',
      'test:ci': 'echo "7 passed, 0 failed, 2 skipped"',
    },
    0,
    '12 passed, 0 failed, 5 skipped',
  ],
  [
    'some fail, in colour',
    { test: String.raw`printf '\033[31m5 passed, 2 failed\033[0m\n'; exit 1`, 'test:ci': GOOD },
    1,
    '12 passed, 2 failed',
  ],
  ['the first crashes', { test: 'echo crash; exit 134', 'test:ci': GOOD }, 1, '7 passed, 1 failed'],
  ['the rest is killed', { test: GOOD, 'test:ci': 'kill -9 $$' }, 1, '7 passed, 1 failed'],
  ['one says nothing', { test: 'true', 'test:ci': GOOD }, 1, '7 passed, 1 failed'],
  [
    'one fails with no failure',
    { test: 'echo "5 passed, 0 failed"; exit 1', 'test:ci': GOOD },
    1,
    '12 passed, 1 failed',
  ],
  [
    'a clock that is moved shows what is counted already',
    { test: GOOD, 'test:ci': GOOD, 'test:moved-clock': 'echo "3 passed, 1 failed"; exit 1' },
    1,
    '14 passed, 1 failed',
  ],
  ['a check fails', { check: 'exit 1', test: GOOD, 'test:ci': GOOD }, 1, '14 passed, 1 failed'],
])('.ci/run ends with the counts of npm test and the rest if %s', (_, scripts, status, last) => {
  expect(run(scripts)).toEqual({ status, last });
});
