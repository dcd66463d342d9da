import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileSpool } from '#cli/import/job';
import { createReport, reportNameFor } from '#cli/import/report';
import type { InputLine } from '#import/importer';
import { refusal } from '#import/refusal';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the spool', () => {
  it('returns what was added, in order, from an unnamed file', async () => {
    const temporary = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const spool = createFileSpool();
      const lines = Array.from({ length: 20_000 }, (_, i) => ({
        file: `odd "name" ${i % 3}\n`,
        number: i,
        text: `{"text":"é \\" \\\\ ${'x'.repeat(i % 60)}"}`,
      }));
      for (const line of lines) spool.push(line);
      expect(readdirSync(folder)).toEqual([]);
      const found: InputLine[] = [];
      for await (const group of spool.drain()) found.push(...group);
      spool.close();
      expect(found).toEqual(lines);
    } finally {
      if (temporary === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = temporary;
    }
  });

  it('holds the longest line, even if all of it is escapes', async () => {
    const spool = createFileSpool();
    const line = { file: 'f', number: 1, text: '"'.repeat(64 * 1024) };
    spool.push(line);
    for await (const group of spool.drain()) expect(group).toEqual([line]);
    spool.close();
  });

  it('returns nothing if nothing was added', async () => {
    const spool = createFileSpool();
    for await (const group of spool.drain()) expect(group).toEqual([]);
    spool.close();
  });
});

describe('the report of refused lines', () => {
  const line = { file: 'a.ndjson', number: 7, text: `{"kind":"${'💧'.repeat(150)}"}` };
  const why = refusal('unknown-kind', 'There is no such kind.');

  it('is created with the first refused line, and says where, why and what', () => {
    const path = join(folder, 'r.ndjson');
    const report = createReport(path);
    expect(existsSync(path)).toBe(false);
    report.add(line, why);
    report.add({ ...line, number: 8, text: 'x' }, why);
    expect(report.close()).toEqual({ path, fault: undefined, left: 0 });
    expect(report.close()).toEqual({ path, fault: undefined, left: 0 });
    const records = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(records).toMatchObject([
      { file: 'a.ndjson', line: 7, code: 'unknown-kind', reason: 'There is no such kind.' },
      { file: 'a.ndjson', line: 8, text: 'x' },
    ]);
    expect(records[0].text).toHaveLength(200);
    expect(records[0].text.isWellFormed()).toBe(true);
  });

  it("isn't created if nothing is refused", () => {
    const path = join(folder, 'r.ndjson');
    createReport(path).close();
    expect(existsSync(path)).toBe(false);
  });

  it('takes another name if one exists, even from a concurrent import', () => {
    const path = join(folder, 'both.refused.ndjson');
    const reports = [1, 2, 3].map(() => createReport(basename(path), [dirname(path)]));
    for (const [i, report] of reports.entries()) report.add({ ...line, number: i }, why);
    const names = reports.map((report) => report.close().path);
    expect(names).toEqual(
      ['', '-2', '-3'].map((suffix) => join(folder, `both.refused${suffix}.ndjson`)),
    );
    expect(names.map((name) => JSON.parse(readFileSync(name, 'utf8')).line)).toEqual([0, 1, 2]);
  });

  it('keeps every one of many', () => {
    const path = join(folder, 'r.ndjson');
    const report = createReport(path);
    for (let i = 0; i < 2_345; i++) report.add({ ...line, number: i }, why);
    report.close();
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(2_345);
  });

  it("The report of refused lines that can't be written stops nothing, and says so at the end", () => {
    const report = createReport(join(folder, 'missing', 'r.ndjson'));
    report.add(line, why);
    report.add(line, why);
    expect(report.close().fault).toMatch('ENOENT');
  });

  it.each([
    ['data/activities.ndjson.gz', 'activities.refused.ndjson'],
    ['activities.jsonl', 'activities.refused.ndjson'],
    ['activities.txt', 'activities.txt.refused.ndjson'],
    ['-', 'stdin.refused.ndjson'],
  ])('The report of refused lines of %s is called %s', (input, name) => {
    expect(reportNameFor(input)).toBe(name);
  });
});
