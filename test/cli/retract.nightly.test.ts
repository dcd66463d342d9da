import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { workplace } from '../support/import-cli.ts';

const ANN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const RULES = `
fathom: 1
name: guests
version: 1
rules:
  - {id: workshop, on: {import: attended}, give: {type: event_attended, points: 25}}
`;
const line = (fields: object) =>
  `${JSON.stringify({ kind: 'event', address: ANN, event: 'attended', ...fields })}\n`;
const came = line({ source: 'w-12', timestamp: '2024-01-15T00:00:00Z' });
const retraction = (fields: object) =>
  line({
    kind: 'retraction',
    source: 'w-12',
    timestamp: '2024-02-01T00:00:00Z',
    reason: 'No show',
    ...fields,
  });

it('fathom retract works by file and by command, once each, and evidence verifies with it', async () => {
  const place = workplace({
    'rules.yaml': RULES,
    'came.ndjson': came,
    'not.ndjson': retraction({}),
    'never.ndjson': retraction({ source: 'w-13' }),
    'both.ndjson':
      retraction({ source: 'w-14' }) + line({ source: 'w-14', timestamp: '2024-01-16T00:00:00Z' }),
  });
  const run = async (...args: string[]) => {
    const { code, stderr, stdout } = await place.runHere(args);
    return { code, said: stderr + stdout };
  };
  const score = async (name: string) => {
    expect((await run('evidence', 'export', name)).code).toBe(0);
    const verified = await run('evidence', 'verify', name);
    expect(verified.code, verified.said).toBe(0);
    const lines = gunzipSync(readFileSync(`${place.cwd}/${name}`))
      .toString()
      .trimEnd()
      .split('\n');
    return lines.map((each) => JSON.parse(each)).find(({ kind }) => kind === 'result')?.score;
  };
  const apply = () => run('rules', 'apply', 'rules.yaml');

  expect((await run('import', 'came.ndjson')).code).toBe(0);
  const unknown = await run('import', 'never.ndjson');
  expect(unknown).toMatchObject({ code: 1, said: expect.stringContaining('unknown-event') });
  expect((await run('import', 'never.ndjson', '--strict')).said).toContain('unknown-event');
  expect((await run('import', 'both.ndjson', '--strict')).code).toBe(0);
  expect((await run('import', 'not.ndjson')).said).toMatch(/Events added +1\n/);
  expect((await run('import', 'not.ndjson')).said).toMatch(/Events already known +1\n/);
  expect((await apply()).code).toBe(0);
  expect(await score('1.gz')).toBe(0);

  const restored = await run(
    'evidence',
    'retract',
    ANN,
    'attended',
    'w-12',
    '--undo',
    '--reason',
    'Was there',
  );
  expect(restored).toMatchObject({ code: 0 });
  const wrong = await run('evidence', 'retract', ANN, 'attended', 'w-99', '--reason', 'x');
  expect(wrong).toMatchObject({ code: 1, said: expect.stringContaining('no such event') });
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES.replace('version: 1', 'version: 2'));
  expect((await apply()).code).toBe(0);
  expect(await score('2.gz')).toBe(25);
});

it('fathom evidence retract says what it waits for, and soon how to go on', async () => {
  const place = workplace({ 'came.ndjson': came });
  expect(await place.runHere(['import', 'came.ndjson'])).toMatchObject({ code: 0 });
  using db = new DatabaseSync(place.database);
  // As an import that hangs.
  db.exec('BEGIN IMMEDIATE');
  const { code, stderr } = await place.run([
    ...['evidence', 'retract', ANN, 'attended', 'w-12', '--reason', 'No show'],
  ]);
  expect(code).toBe(1);
  expect(stderr.match(/Trying again/g)).toHaveLength(1);
  expect(stderr).toMatch(/run the same command again\.\n$/);
  expect(stderr).not.toContain('import');
});
