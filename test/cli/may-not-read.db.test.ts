import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/** A database and a backup of it, which belong to a user without other rights. */
async function ofNobody() {
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(20)) });
  const run = (...args: string[]) => place.runHere(args);
  for (const args of [
    ['import', 'a.ndjson'],
    ['backup', 'b.db'],
  ])
    expect(await run(...args)).toMatchObject({ code: 0 });
  chmodSync(place.cwd, 0o755);
  mkdirSync(join(place.cwd, 'shut'), { mode: 0o755 });
  mkdirSync(join(place.cwd, 'closed'), { mode: 0 });
  writeFileSync(join(place.cwd, 'closed', 'rules.yaml'), 'rules: 1\n');
  for (const name of readdirSync(place.cwd)) {
    if (!['shut', 'closed', 'tmp'].includes(name)) chownSync(join(place.cwd, name), NOBODY, NOBODY);
  }
  /** What the command says, as that user types it. */
  const said = async (...args: string[]) => {
    process.seteuid?.(NOBODY);
    try {
      const { code, stderr } = await run(...args);
      expect(stderr).not.toMatch(/EACCES|\n\s+at /);
      return { code, stderr };
    } finally {
      process.seteuid?.(0);
    }
  };
  onTestFinished(() => chmodSync(join(place.cwd, 'closed'), 0o700));
  return { ...place, said };
}

describe.runIf(isRoot)(`a user without rights${isRoot ? '' : ' (skipped: needs root)'}`, () => {
  it('is told by restore which file they may not read: the backup, or its record', async () => {
    const { cwd, said } = await ofNobody();
    for (const name of ['b.db.json', 'b.db']) {
      chownSync(join(cwd, name), 0, 0);
      const { code, stderr } = await said('restore', 'b.db', '--replace');
      expect([code, stderr]).toEqual([1, expect.stringContaining(`may not read ${name}.`)]);
    }
  });

  it('is told by restore and backup in which folder they may not make files', async () => {
    const { cwd, said } = await ofNobody();
    const restored = await said('restore', 'b.db', '--replace');
    expect([restored.code, restored.stderr]).toEqual([
      1,
      expect.stringContaining(`may not make files in ${cwd}.`),
    ]);
    const copied = await said('backup', 'shut/c.db');
    const where = `may not make files in ${join(cwd, 'shut')}.`;
    expect([copied.code, copied.stderr]).toEqual([2, expect.stringContaining(where)]);
  });

  it('is told of rules in a closed folder which folder that is', async () => {
    const { cwd, said } = await ofNobody();
    const closed = `may not enter ${join(cwd, 'closed')}.`;
    const rules = join('closed', 'rules.yaml');
    const checked = await said('rules', 'check', rules);
    expect(checked.stderr).toContain(closed);
    const added = await said('rules', 'add', 'governor', '--file', rules, '--yes');
    expect(added.stderr).toContain(closed);
  });
});
