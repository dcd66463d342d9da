import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { UserError } from '#base/errors';
import { statIfThere } from '#base/process/stat-if-there';

const NOBODY = 65_534;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'fathom-stat-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A folder that its files' own user can't enter: root can enter all. */
function closedFolder(): string {
  const closed = join(folder(), 'closed');
  mkdirSync(closed);
  writeFileSync(join(closed, 'fathom.db'), '');
  mkdirSync(join(closed, 'deeper'), { mode: 0 });
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    process.seteuid?.(NOBODY);
    onTestFinished(() => process.seteuid?.(0));
  }
  return closed;
}

it('tells a file that is there from one that is not', () => {
  const file = join(folder(), 'fathom.db');
  expect(statIfThere(file)).toBeUndefined();
  expect(statIfThere(join(file, 'below'))).toBeUndefined();
  writeFileSync(file, 'x');
  expect(statIfThere(file)?.size).toBe(1);
});

it.skipIf(process.platform === 'win32')(
  'names the folder that this user may not enter, rather than take the file for missing',
  () => {
    const closed = closedFolder();
    // As `mkdtemp` makes it, or as the folder in it was made.
    const found = () => statIfThere(join(closed, 'deeper', 'fathom.db'));
    expect(found).toThrow(UserError);
    expect(found).toThrow(/fathom\.db can't be found, as this user may not enter \/\S+\. Run it/);
  },
);

it('says that a symbolic link leads back to itself', () => {
  const link = join(folder(), 'loop');
  symlinkSync(link, link);
  expect(() => statIfThere(link)).toThrow(/leads back to itself/);
});
