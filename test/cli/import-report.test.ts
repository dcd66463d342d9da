import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { UserError } from '#base/errors';
import { createReport, requireReplaceable } from '#cli/import/report';

const REFUSED = { kind: 'refused', code: 'not-json', reason: 'This is no JSON.' } as const;

it('A report truncates a long report, and says how many lines are left out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.refused.ndjson');
  const report = createReport(path, undefined, 10_000);
  for (let number = 1; number <= 2_000; number += 1) {
    report.add({ file: 'a.ndjson', number, text: 'x'.repeat(1_000) }, REFUSED);
  }
  const { left } = report.close();
  expect(report.close()).toEqual({ path, fault: undefined, left });
  expect(statSync(path).size).toBeLessThan(11_000);
  const records = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each));
  expect(records.at(-1)).toEqual({
    code: 'report-full',
    reason: `This report is full: ${left} more lines were refused. Correct these, and import again.`,
    left,
  });
  expect(records.length - 1 + left).toBe(2_000);
});

it.skipIf(process.platform === 'win32')(
  'A report in a folder that this user may not enter is refused with the reason',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fathom-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'closed'), { mode: 0 });
    // Root can enter all.
    if (process.geteuid?.() === 0) {
      process.seteuid?.(65_534);
      onTestFinished(() => process.seteuid?.(0));
    }
    const report = join(folder, 'closed', 'a.refused.ndjson');
    expect(() => requireReplaceable(report, ['a.ndjson'], 'sqlite:a.db')).toThrow(UserError);
  },
);
