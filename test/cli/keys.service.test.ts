import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { looksLikeApiKey } from '#base/api-key';
import { runCli, runHere, workplace } from '../support/import-cli.ts';

describe('fathom keys', () => {
  it('prints only the new key, and stores only its hash', async () => {
    const place = workplace();
    const { code, stdout, stderr } = await place.run(['keys', 'create', '--label', 'my bot']);
    expect(code).toBe(0);
    const key = stdout.trimEnd();
    expect(stdout).toBe(`${key}\n`);
    expect(looksLikeApiKey(key)).toBe(true);
    expect(stderr).toContain('for "my bot"');
    expect(stderr).not.toContain(key);

    const db = new DatabaseSync(place.database);
    expect(db.prepare('SELECT hash, label, owner FROM api_key').all()).toEqual([
      { hash: hash('sha256', key), label: 'my bot', owner: 'cli' },
    ]);
    db.close();
    expect(readFileSync(place.database).includes(key)).toBe(false);
  });

  it('lists keys in columns with their state, and revokes them', async () => {
    const place = workplace();
    await place.runHere(['keys', 'create', '--label', 'one']);
    await place.runHere(['keys', 'create', '--label', 'the second', '--owner', 'discord:1']);
    const list = async (...args: string[]) => {
      const { code, stdout, stderr } = await place.runHere(['keys', 'list', ...args]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout.trimEnd().split('\n');
    };
    const [heading, first, second] = await list();
    expect(heading).toMatch(/^ID +LABEL +OWNER +CREATED +STATE$/);
    expect(first).toMatch(/^\w+ +one +cli +\d{4}-\S+Z +live$/);
    expect(second).toMatch(/^\w+ +the second +discord:1 +\S+Z +live$/);
    expect(first?.indexOf('cli')).toBe(second?.indexOf('discord:1'));
    expect(await list('--owner', 'discord:1')).toHaveLength(2);

    const id = first?.split(' ')[0] ?? '';
    expect(await place.run(['keys', 'revoke', id])).toMatchObject({ code: 0, stdout: '' });
    expect((await list())[1]).toMatch(/ revoked \d{4}-\S+Z$/);
  });

  it('limits a person to three live keys, and operators not at all', async () => {
    const place = workplace();
    const create = (owner: string) =>
      place.runHere(['keys', 'create', '--label', 'x', '--owner', owner]);
    for (let i = 0; i < 3; i++) expect(await create('discord:1')).toMatchObject({ code: 0 });
    const refused = await create('discord:1');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Revoke one first');
    for (let i = 0; i < 4; i++) expect(await create('cli')).toMatchObject({ code: 0 });

    const { stdout } = await place.runHere(['keys', 'list', '--owner', 'discord:1']);
    await place.runHere(['keys', 'revoke', stdout.split('\n')[1]?.split(' ')[0] ?? '']);
    expect(await create('discord:1')).toMatchObject({ code: 0 });
  });

  it.each([
    ['no label', ['create'], 2, 'Add --label LABEL'],
    ['an empty label', ['create', '--label', ' '], 2, 'non-empty'],
    ['a label of two lines', ['create', '--label', 'a\nb'], 2, 'on one line'],
    ['a long label', ['create', '--label', 'x'.repeat(101)], 2, 'at most 100'],
    ['an id that is not there', ['revoke', 'nope'], 1, 'no key with the id nope'],
  ])('refuses %s', async (_, args, code, words) => {
    const result = await workplace().runHere(['keys', ...args]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(words);
  });

  it.each([['create', '--label', 'x'], ['list'], ['revoke', 'x']])(
    'explains that %s needs a database, and which variable to set',
    async (...args) => {
      const { code, stdout, stderr } = await runHere(['keys', ...args], {});
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Set DATABASE_URL');
    },
  );

  it('reads settings from the given file', async () => {
    const { cwd, database } = workplace();
    writeFileSync(join(cwd, '.env'), `DATABASE_URL=sqlite:${database}\n`);
    const { code, stdout, stderr } = await runCli(['keys', 'list'], {
      cwd,
      env: { FATHOM_ENV_FILE: join(cwd, '.env') },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ID /);
  });
});
