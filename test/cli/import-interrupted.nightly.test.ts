import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { finished, said, startCli, type Workplace, workplace } from '../support/import-cli.ts';
import { dump, faultsOf } from '../support/import-dump.ts';
import { badgeLine, mixedLines, ndjson } from '../support/import-lines.ts';

const LINES = mixedLines(3_000);
const TEXT = ndjson(LINES);

describe('fathom import, interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'stops on %s, also while waiting for input, and exits with %i',
    async (signal, code) => {
      const place = workplace();
      const child = startCli(['import', '-'], place);
      const result = finished(child);
      child.stdin?.write(TEXT);
      await new Promise<void>((resolve) => {
        const look = setInterval(() => {
          if (!existsSync(place.database)) return;
          clearInterval(look);
          setTimeout(resolve, 300);
        }, 20);
      });
      child.kill(signal);
      const { code: found, stderr } = await result;
      expect(found).toBe(code);
      expect(stderr).toContain('run the same command again to complete the import');
      expect(faultsOf(place.database)).toEqual([]);
    },
  );
});

describe('fathom import into a locked database', () => {
  function locked(place: Workplace): DatabaseSync {
    const db = new DatabaseSync(place.database);
    db.exec('BEGIN IMMEDIATE');
    return db;
  }

  it('waits until it is free', async () => {
    const place = workplace({ 'a.ndjson': TEXT });
    await place.run(['import', '-'], ndjson([badgeLine(1)]));
    const db = locked(place);
    const child = startCli(['import', 'a.ndjson'], place);
    child.stdin?.end();
    const result = finished(child);
    await said(child, 'Retrying');
    db.close();
    const { code, stderr } = await result;
    expect(stderr).toContain('Another program has locked');
    expect(code).toBe(0);
    expect(dump(place.database).activities).toHaveLength(3_000);
  });

  it('gives up after a while, and says that the same command completes it', async () => {
    const place = workplace({ 'a.ndjson': TEXT });
    await place.run(['import', '-'], ndjson([badgeLine(1)]));
    const db = locked(place);
    const { code, stderr } = await place.run(['import', 'a.ndjson', '--retry-for', '0']);
    db.close();
    expect(code).toBe(1);
    expect(stderr).toContain('run the same command again');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(await place.run(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
    expect(dump(place.database).activities).toHaveLength(3_000);
  });
});
