import { describe, expect, it, onTestFinished } from 'vitest';
import { finished, startCli, workplace } from '../support/import-cli.ts';
import { activityLine, ndjson } from '../support/import-lines.ts';

const TEXT = ndjson([activityLine('solana', 1)]);
const NO_DATABASE = 'not a database, '.repeat(100);

describe('fathom import -, which fails before it reads', () => {
  it.each(['ended', 'still open'])('ends with 1 when its input is %s', async (state) => {
    const place = workplace({ 'fathom.db': NO_DATABASE });
    const child = startCli(['import', '-'], place);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.write(TEXT);
    if (state === 'ended') child.stdin?.end();
    const { code, stderr } = await finished(child);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('is no SQLite database'),
    });
  });
});

describe('fathom import without a folder for temporary files', () => {
  it.each([
    ['a pipe under --strict', ['--strict'], TEXT],
    [
      'a badge that comes later',
      [],
      ndjson([activityLine('solana', 1, { type: 'badge_earned', badge: 'later' })]),
    ],
  ])('says so, and ends with 1, for %s', async (_, options, input) => {
    const { cwd, env } = workplace();
    const TMPDIR = `${cwd}/missing`;
    const child = startCli(['import', '-', ...options], { cwd, env: { ...env, TMPDIR } });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.end(input);
    const { code, stderr } = await finished(child);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('in TMPDIR') });
    expect(stderr).toContain(`the folder for temporary files, ${TMPDIR} (ENOENT`);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
