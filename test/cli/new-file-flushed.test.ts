import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NewFile, replaceFile } from '#cli/new-file';
import { temporaryFolder } from '../support/import-cli.ts';

/* A power failure can't be caused here: what counts is that the disk is asked for the content, and then for the name. */

const { fsyncSync } = fs;
let flushed: string[];

beforeEach(() => {
  flushed = [];
  use((fd) => {
    const isFolder = fs.fstatSync(fd).isDirectory();
    flushed.push(isFolder ? fs.readdirSync(`/proc/self/fd/${fd}`).join(' ') : 'content');
    fsyncSync(fd);
  });
});

afterEach(() => use(fsyncSync));

function use(flush: typeof fsyncSync): void {
  fs.fsyncSync = flush;
  syncBuiltinESMExports();
}

it('A new file is on the disk before it has its name, and then so is the name', () => {
  const file = new NewFile(join(temporaryFolder(), 'a.csv'));
  file.write('one\n');
  file.finish();
  expect(flushed).toEqual(['content', expect.stringMatching(/^a\.csv\b/)]);
});

it('A file that is replaced is on the disk, and then so is its name', () => {
  const path = join(temporaryFolder(), 'rules.yaml');
  writeFileSync(path, 'old');
  replaceFile(path, 'old', 'new');
  expect(flushed).toEqual(['content', 'rules.yaml']);
});
