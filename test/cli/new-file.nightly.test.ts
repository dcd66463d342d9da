import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { NewFile, replaceFile } from '#cli/new-file';
import { temporaryFolder } from '../support/import-cli.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

it('A new file gets its name once it is complete', () => {
  const folder = temporaryFolder();
  const file = new NewFile(join(folder, 'a.csv'));
  file.write('one\n');
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^a\.csv\..+\.part$/)]);
  file.write(Buffer.from('two\n'));
  file.finish();
  file.close();
  expect(readdirSync(folder)).toEqual(['a.csv']);
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('one\ntwo\n');
});

it('A new file leaves nothing if it is abandoned, and never replaces a file', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.csv');
  const given = new NewFile(path);
  given.write('half');
  given.close();
  expect(readdirSync(folder)).toEqual([]);
  const late = new NewFile(path);
  late.write('mine');
  writeFileSync(path, 'theirs');
  expect(() => late.finish()).toThrow(UserError);
  late.close();
  expect(() => new NewFile(path)).toThrow('it is there already; name a new file');
  expect(readdirSync(folder)).toEqual(['a.csv']);
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});

it('A new file is never one of the name -, which stands for standard output elsewhere', () => {
  expect(() => new NewFile('-')).toThrow(UserError);
});

it.each([
  ['process.exit(130)', []],
  ["process.kill(process.pid, 'SIGKILL')", [expect.stringMatching(/^a\.csv\..+\.part$/)]],
])('A new file never has its name in part when the process ends by %s', (end, left) => {
  const folder = temporaryFolder();
  const module = new URL('../../src/cli/new-file.ts', import.meta.url).href;
  const program = `const { NewFile } = await import(${JSON.stringify(module)});
    new NewFile('a.csv').write('half'); ${end};`;
  const args = ['--input-type=module', '--eval', program];
  const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(readdirSync(folder)).toEqual(left);
});

it('A new file leaves nothing on a full disk', (context) => {
  const disk = mountSmallDisk(temporaryFolder(), 1);
  if (disk === undefined) {
    context.skip('a small disk can be mounted by root alone');
    return;
  }
  const file = new NewFile(join(disk.path, 'a.csv'));
  expect(() => file.write(Buffer.alloc(2 * 1024 * 1024))).toThrow(RetryableError);
  expect(() => file.write('more')).toThrow(/^(?!.*ENOSPC).*a\.csv/);
  file.close();
  expect(readdirSync(disk.path)).toEqual([]);
});

it('A file on a read-only disk is refused for that, not for its name', (context) => {
  const disk = mountSmallDisk(temporaryFolder(), 1);
  if (disk === undefined) {
    context.skip('a disk can be mounted by root alone');
    return;
  }
  const path = join(disk.path, 'a.csv');
  writeFileSync(path, 'old');
  disk.makeReadOnly(true);
  for (const work of [
    () => new NewFile(join(disk.path, 'b.csv')),
    () => replaceFile(path, 'old', 'new'),
  ]) {
    expect(work).toThrow(RetryableError);
    expect(work).toThrow(/^(?!.*EROFS).*[ab]\.csv .*read-only/);
  }
});
