import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markServed } from '#storage/sqlite/serving';
import { workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';

const isRoot = process.getuid?.() === 0;
/** Of the account that the service runs as. */
const SERVICE = 1_234;

/** The folder of a service's database, in which root types commands. */
function served() {
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(20)) });
  const folder = join(place.cwd, 'of-the-service');
  mkdirSync(folder);
  chownSync(folder, SERVICE, SERVICE);
  const file = join(folder, 'fathom.db');
  const run = async (...args: string[]) =>
    expect(await place.runHere(args, { DATABASE_URL: `sqlite:${file}` })).toMatchObject({
      code: 0,
    });
  const owners = () =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid]));
  return { file, run, owners };
}

describe.runIf(isRoot)(`what root makes${isRoot ? '' : ' (skipped: needs root)'}`, () => {
  it('beside a database belongs to the service, whose own commands it must not lock out', async () => {
    const { file, run, owners } = served();
    await run('import', 'a.ndjson');
    await run('backup', 'copy.db');
    chmodSync(file, 0o640);
    await run('restore', 'copy.db', '--replace');
    const leave = markServed(file);
    expect(Object.keys(owners())).toEqual(
      expect.arrayContaining(['fathom.db', 'fathom.db-served']),
    );
    expect(new Set(Object.values(owners()))).toEqual(new Set([SERVICE]));
    leave();
    expect(statSync(file).mode & 0o777).toBe(0o640);
    for (const name of Object.keys(owners())) rmSync(join(file, '..', name));
    await run('restore', 'copy.db');
    expect(new Set(Object.values(owners()))).toEqual(new Set([SERVICE]));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
