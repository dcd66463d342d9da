import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { createReport } from '#cli/import/report';
import { temporaryFolder } from '../support/import-cli.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const REFUSED = { kind: 'refused', code: 'not-json', reason: 'This is no JSON.' } as const;

function refuse(report: ReturnType<typeof createReport>, lines: number): void {
  for (let number = 1; number <= lines; number++) {
    report.add({ file: 'a.ndjson', number, text: 'x'.repeat(200) }, REFUSED);
  }
}

/** A disk of which nothing is left, and a folder elsewhere. */
function fullDisk(context: TestContext) {
  const folder = temporaryFolder();
  const disk = mountSmallDisk(folder, 1);
  if (disk === undefined) return context.skip('a small disk can be mounted by root alone');
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  const fill = () => {
    try {
      const filler = join(disk.path, 'filler');
      for (;;) writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
    } catch {}
  };
  return { disk, elsewhere, fill };
}

it('A report that has no room in the first folder is put into the next one', (context) => {
  const { disk, elsewhere, fill } = fullDisk(context);
  fill();
  const report = createReport('a.refused.ndjson', [disk.path, elsewhere]);
  refuse(report, 2);
  expect(report.close()).toMatchObject({
    path: join(elsewhere, 'a.refused.ndjson'),
    fault: undefined,
  });
  expect(readdirSync(disk.path)).toEqual(['filler']);
});

it('A report that has no room anywhere leaves no empty file, and says why', (context) => {
  const { disk, fill } = fullDisk(context);
  fill();
  for (const folders of [[disk.path], undefined]) {
    const name = folders === undefined ? join(disk.path, 'r.ndjson') : 'r.ndjson';
    const report = createReport(name, folders);
    refuse(report, 2);
    expect(report.close().fault).toContain('is full');
  }
  expect(readdirSync(disk.path)).toEqual(['filler']);
});

it('A report whose disk is full in the middle ends with a whole line', (context) => {
  const { disk } = fullDisk(context);
  const path = join(disk.path, 'r.ndjson');
  const report = createReport(path);
  refuse(report, 20_000);
  expect(report.close().fault).toContain('is full');
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.map((each) => JSON.parse(each).line)).toEqual(lines.map((_, at) => at + 1));
});
