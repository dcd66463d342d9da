import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { writeNamesFile } from '#cli/import/sheet/names';
import { finishAll, NewFile, replaceFile } from '#cli/new-file';
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

it('A new file in a folder that is not there is refused by that', () => {
  const folder = join(temporaryFolder(), 'nowhere');
  const make = () => new NewFile(join(folder, 'a.csv'));
  expect(make).toThrow(UserError);
  expect(make).toThrow(`there is no folder ${folder}.`);
});

it('A new file that is gone before it has its name, as with its disk, is missed by its folder', () => {
  const folder = temporaryFolder();
  const file = new NewFile(join(folder, 'a.csv'));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(() => file.finish()).toThrow(`no longer in ${folder}`);
  file.close();
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

it('Of several new files either all get their names or none', () => {
  const folder = temporaryFolder();
  const files = ['a.csv', 'b.html', 'c.csv'].map((name) => new NewFile(join(folder, name)));
  writeFileSync(join(folder, 'b.html'), 'theirs');
  expect(() => finishAll(files)).toThrow(UserError);
  for (const file of files) file.close();
  expect(readdirSync(folder)).toEqual(['b.html']);
  expect(readFileSync(join(folder, 'b.html'), 'utf8')).toBe('theirs');
});

it('A file that is replaced through a link is the one that it leads to, and the link stays', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'kept'));
  writeFileSync(join(folder, 'kept', 'rules.yaml'), 'old');
  const link = join(folder, 'rules.yaml');
  symlinkSync('kept/rules.yaml', link);
  replaceFile(link, 'old', 'new');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'kept', 'rules.yaml'), 'utf8')).toBe('new');
  expect(readdirSync(join(folder, 'kept'))).toEqual(['rules.yaml']);
});

it('What is no file, such as a device, is never replaced', () => {
  expect(() => replaceFile(temporaryFolder(), '', 'new')).toThrow(UserError);
});

it.for(['full', 'read-only'])('Names on a disk that is %s stay as they were', (state, context) => {
  const disk = mountSmallDisk(temporaryFolder(), 1);
  if (disk === undefined) {
    context.skip('a disk can be mounted by root alone');
    return;
  }
  const path = join(disk.path, 'guests.names.csv');
  writeNamesFile(path, new Map([['erin.eth', '0x1']]));
  const before = readFileSync(path, 'utf8');
  expect(before).toContain('erin.eth,0x1,');
  if (state === 'read-only') disk.makeReadOnly(true);
  const many = Array.from({ length: 50_000 }, (_, i) => [`n${i}.eth`, '0x2'] as const);
  const write = () => writeNamesFile(path, new Map(many));
  expect(write).toThrow(RetryableError);
  expect(write).toThrow(`${path} is ${state}.`);
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(readdirSync(disk.path)).toEqual(['guests.names.csv']);
});
