import { linkSync, symlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { finished, startCli, workplace } from '../support/import-cli.ts';
import { activityLine, ndjson } from '../support/import-lines.ts';

const TEXT = ndjson([activityLine('solana', 1)]);
const NO_DATABASE = 'not a database, '.repeat(100);

describe('fathom import - with unreadable input', () => {
  it.each(['ended', 'still open'])('exits with 1 if its input is %s', async (state) => {
    const place = workplace({ 'fathom.db': NO_DATABASE });
    const child = startCli(['import', '-'], place);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.write(TEXT);
    if (state === 'ended') child.stdin?.end();
    const { code, stderr } = await finished(child);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("isn't an SQLite database"),
    });
  });
});

describe('fathom import without a temporary folder', () => {
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
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('set TMPDIR to another folder'),
    });
    expect(stderr).toContain(`the folder for temporary files, ${TMPDIR} (ENOENT`);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('fathom import --report', () => {
  const bad = 'nothing\n';

  it.each([
    'fathom.db',
    'fathom.db-wal',
    'fathom.db-shm',
    'fathom.db-served',
    'link',
    'hard',
    'notes.txt',
  ])('does not replace %s', async (name) => {
    const files = { 'good.ndjson': TEXT, 'bad.ndjson': bad, 'notes.txt': '{"line":1}\n' };
    const place = workplace({ ...files, 'fathom.db-served': '' });
    expect(await place.runHere(['import', 'good.ndjson'])).toMatchObject({ code: 0 });
    symlinkSync('fathom.db', `${place.cwd}/link`);
    linkSync(place.database, `${place.cwd}/hard`);
    const before = place.read('fathom.db');
    const { code, stderr } = await place.runHere(['import', 'bad.ndjson', '--report', name]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('would replace') });
    expect(place.read('fathom.db')).toBe(before);
    expect(place.read('notes.txt')).toBe('{"line":1}\n');
  });

  it('says what to do about a disk that is full', async () => {
    const place = workplace({ 'bad.ndjson': bad });
    const { code, stderr } = await place.runHere(['import', 'bad.ndjson', '--report', '/dev/full']);
    expect(code).toBe(1);
    expect(stderr).toContain('The disk of /dev/full is full.');
    expect(stderr).not.toContain('ENOSPC');
  });

  it('does not take the place of a database that does not exist yet', async () => {
    const place = workplace();
    const result = await place.run(['import', '-', '--report', './tmp/../fathom.db'], bad);
    expect(result).toMatchObject({ code: 2 });
  });

  it('replaces an earlier report; by default each import gets its own', async () => {
    const place = workplace();
    for (const line of ['one', 'two']) {
      await place.run(['import', '-', '--report', 'r.ndjson'], `${line}\n`);
      const { stderr } = await place.run(['import', '-'], `${line}\n`);
      const name = line === 'one' ? 'stdin.refused.ndjson' : 'stdin.refused-2.ndjson';
      expect(stderr).toContain(`Refused lines and reasons: ${name}\n`);
      for (const each of ['r.ndjson', name]) expect(place.read(each)).toContain(line);
      expect(place.read(name)).toBe(place.read('r.ndjson'));
    }
    expect(place.read('stdin.refused.ndjson')).toContain('one');
  });
});
