import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere, workplace } from '../support/import-cli.ts';
import { dump, faultsOf } from '../support/import-dump.ts';
import { activityLine, badgeLine, type Line, mixedLines, ndjson } from '../support/import-lines.ts';

const LINES = mixedLines(1_500);
const TEXT = ndjson(LINES);

function reportOf(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('fathom import', () => {
  it('creates the same database from plain text, gzip, pipes and parts, in any order', async () => {
    const plain = workplace({ 'a.ndjson': TEXT });
    const first = await plain.run(['import', 'a.ndjson']);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(faultsOf(plain.database)).toEqual([]);
    const expected = dump(plain.database);
    expect(expected.activities).toHaveLength(1_500);

    const lines = ndjson([...LINES].reverse()).replaceAll('\n', '\r\n');
    const half = TEXT.indexOf('\n', TEXT.length / 2) + 1;
    const compressed = gzipSync(TEXT);
    const others: [
      string,
      Record<string, string | Uint8Array>,
      string[],
      (string | Uint8Array)?,
    ][] = [
      ['gzip whose name does not say so', { a: compressed }, ['a']],
      [
        'gzip of two members',
        { a: Buffer.concat([gzipSync(TEXT.slice(0, half)), gzipSync(TEXT.slice(half))]) },
        ['a'],
      ],
      ['standard input', {}, ['-'], TEXT],
      ['gzip on standard input', {}, ['-'], compressed],
      ['a byte order mark, CRLF and the other way round', { a: `\ufeff\r\n${lines}` }, ['a']],
      ['two files, the later first', { a: TEXT.slice(0, half), b: TEXT.slice(half) }, ['b', 'a']],
      [
        'a file and standard input, strictly',
        { a: TEXT.slice(half) },
        ['a', '--strict', '-'],
        TEXT.slice(0, half),
      ],
      ['gzip on standard input, strictly', {}, ['--strict', '-'], compressed],
    ];
    for (const [what, files, args, input] of others) {
      const place = workplace(files);
      // Only standard input takes a process.
      const words = ['import', ...args];
      const result = await (input === undefined ? place.runHere(words) : place.run(words, input));
      expect(result, what).toMatchObject({ code: 0 });
      expect(dump(place.database), what).toEqual(expected);
      expect(readdirSync(place.env.TMPDIR), what).toEqual([]);
    }
  });

  it('adds nothing the second time, and says so in the summary', async () => {
    const place = workplace({ 'a.ndjson': TEXT });
    await place.runHere(['import', 'a.ndjson']);
    const before = dump(place.database);
    const { code, stderr } = await place.runHere(['import', 'a.ndjson']);
    expect(code).toBe(0);
    // On a busy machine there's time for progress.
    expect(stderr.replace(/^Importing: .*\n/gm, '').replace(/\d+\.\d/, '0.0')).toBe(
      [
        'Lines                     1,546',
        'Activities added              0',
        'Activities already known  1,500',
        'Badge definitions             8',
        'Display names                38',
        'Refused                       0',
        'Seconds                     0.0',
        '',
      ].join('\n'),
    );
    expect(dump(place.database)).toEqual(before);
    expect(readdirSync(place.cwd).filter((name) => name.includes('refused'))).toEqual([]);
  });

  const bad: Line[] = [
    activityLine('solana', 1),
    activityLine('solana', 2, { points: 0.5 }),
    activityLine('solana', 3, { type: 'badge_earned', badge: 'nobody' }),
    activityLine('solana', 4, { type: 'badge_earned', badge: 'badge-9' }),
    badgeLine(9),
  ];

  it('lists refused lines in a report, exits with 1 and imports the valid ones', async () => {
    const place = workplace({ 'some.ndjson.gz': gzipSync(ndjson(bad)) });
    const { code, stderr } = await place.runHere(['import', 'some.ndjson.gz']);
    expect(code).toBe(1);
    expect(stderr).toContain('Refused lines and reasons: some.refused.ndjson');
    expect(reportOf(place.read('some.refused.ndjson'))).toEqual([
      {
        file: 'some.ndjson.gz',
        line: 2,
        code: 'bad-points',
        reason: expect.stringContaining('whole number'),
        text: JSON.stringify(bad[1]).slice(0, 200),
      },
      expect.objectContaining({ line: 3, code: 'unknown-badge' }),
    ]);
    expect(dump(place.database).activities).toHaveLength(2);
  });

  it('writes the report to the given path', async () => {
    const place = workplace();
    const { code } = await place.run(['import', '-', '--report', 'mine.ndjson'], ndjson(bad));
    expect(code).toBe(1);
    expect(reportOf(place.read('mine.ndjson'))).toHaveLength(2);
    expect(reportOf(place.read('mine.ndjson'))[0]).toMatchObject({ file: '-', line: 2 });
  });

  it('prints the first twenty refused lines, and how many there are per reason', async () => {
    const many = Array.from({ length: 30 }, (_, i) => activityLine('solana', i, { points: 0.5 }));
    const place = workplace({ 'a.ndjson': `${ndjson(many)}${ndjson(bad)}` });
    const { code, stderr } = await place.runHere(['import', 'a.ndjson']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ {2}a\.ndjson:1: .*whole number/m);
    expect(stderr).toMatch(/^ {2}a\.ndjson:20: /m);
    expect(stderr).not.toContain('a.ndjson:21:');
    expect(stderr).toContain('  and 12 more\n');
    expect(stderr).toMatch(/^ {2}bad-points +31\n {2}unknown-badge +1$/m);
  });

  it('keeps the report next to the data if the current folder is read-only', async () => {
    const place = workplace();
    const cwd = join(place.cwd, 'program');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'a.ndjson'), ndjson(bad));
    chmodSync(cwd, 0o555);
    // Root may write anywhere but here.
    const here = process.getuid?.() === 0 ? '/proc' : cwd;
    const { code, stderr } = await runHere(['import', join(cwd, 'a.ndjson')], place.env, here);
    chmodSync(cwd, 0o755);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Refused lines and reasons: ${join(realpathSync(place.cwd), 'a.refused.ndjson')}`,
    );
    expect(reportOf(place.read('a.refused.ndjson'))).toHaveLength(2);
  });

  it('names files of other formats, refuses each as a whole, and goes on', async () => {
    const foreign: readonly (readonly [
      name: string,
      content: string | Uint8Array,
      words: string,
    ])[] = [
      ['csv', 'wallet,points,at\n0x1,5,2024\n0x2,6,2024\n', 'looks like CSV'],
      ['csv-quoted', '"Wallet";"What"\n"a;b";"c"\n', 'looks like CSV'],
      ['array', `[${JSON.stringify(bad[0])}]`, 'looks like a JSON array'],
      ['lines', JSON.stringify(bad[0], undefined, 2), 'looks like JSON over several lines'],
      ['zip', 'PK\x03\x04 some.ndjson', 'looks like a zip archive'],
      ['workbook', 'PK\x03\x04 [Content_Types].xml', 'looks like an Excel workbook'],
      ['empty', '', 'this is empty'],
      ['blank', ' \n\n', 'this is empty'],
      ['csv-gzip', gzipSync('a,b\n1,2\n'), 'looks like CSV'],
    ];
    const names = foreign.map(([name]) => name);
    const good = ndjson([activityLine('solana', 1)]);
    const files = Object.fromEntries(foreign.map(([name, content]) => [name, content]));
    const place = workplace({ ...files, 'good.ndjson': good });
    const { code, stderr } = await place.runHere(['import', ...names, 'good.ndjson']);
    expect(code).toBe(1);
    for (const [name, , words] of foreign) {
      expect(stderr.split('\n')).toContainEqual(
        expect.stringMatching(new RegExp(`^${name}: this .*`)),
      );
      expect(stderr.split('\n').find((line) => line.startsWith(`${name}: `))).toContain(words);
    }
    expect(stderr).toMatch(/^Refused +0$/m);
    expect(readdirSync(place.cwd).filter((name) => name.includes('refused'))).toEqual([]);
    expect(dump(place.database).activities).toHaveLength(1);
    const strict = workplace({ it: 'a,b\n1,2\n' });
    expect(await strict.runHere(['import', 'it', '--strict'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was imported'),
    });
  });

  it('stops if npm has swallowed an option', async () => {
    const place = workplace({ 'a.ndjson': ndjson(bad) });
    const run = async (strict: string, ...more: string[]) => {
      // It's asked of the process, which npm starts.
      vi.stubEnv('npm_lifecycle_event', 'fathom').stubEnv('npm_config_strict', strict);
      onTestFinished(() => void vi.unstubAllEnvs());
      return await place.runHere(['import', 'a.ndjson', ...more]);
    };
    const { code, stderr } = await run('true');
    expect(code).toBe(2);
    expect(stderr).toContain('npm took --strict for itself');
    expect(stderr).toContain('npm run fathom -- import');
    expect(existsSync(place.database)).toBe(false);
    // Off in npm's own settings, or passed on to us after all.
    for (const [strict, args] of [
      ['', []],
      ['true', ['--strict']],
    ] as const) {
      const { stderr: told } = await run(strict, ...args);
      expect(told).not.toContain('npm took');
    }
  });

  it('refuses what contradicts known data, and applies a correction of it once', async () => {
    const event = (points: number) => activityLine('solana', 1, { points, source: 'test:1' });
    const others = [2, 3].map((number) => activityLine('solana', number));
    const correction = { ...event(-100), kind: 'correction', reason: 'A wrong sign.' };
    const place = workplace({
      'old.ndjson': ndjson([event(100)]),
      'new.ndjson': ndjson([...others, event(-100)]),
      'right.ndjson': ndjson([correction, event(100)]),
    });
    expect(await place.runHere(['import', 'old.ndjson'])).toMatchObject({ code: 0 });

    const strict = await place.runHere(['import', 'new.ndjson', '--strict']);
    expect(strict).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was imported'),
    });
    const differs = {
      ...{ file: 'new.ndjson', line: 3, code: 'differs' },
      reason: expect.stringContaining('points is 100 there and -100 here.'),
    };
    expect(reportOf(place.read('new.refused.ndjson'))).toEqual([differs]);
    expect(dump(place.database).activities).toHaveLength(1);

    const { code, stderr } = await place.runHere(['import', 'new.ndjson']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Activities added +2$/m);
    expect(stderr).toMatch(/^Refused +1$/m);
    expect(reportOf(place.read('new.refused.ndjson'))).toEqual([differs]);

    for (const args of [['right.ndjson', '--strict'], ['right.ndjson'], ['new.ndjson']]) {
      expect(await place.runHere(['import', ...args])).toMatchObject({ code: 0 });
      const { activities, wallets } = dump(place.database);
      expect(activities).toHaveLength(4);
      expect(wallets).toContainEqual(expect.objectContaining({ points: -100, activities: 2 }));
    }
    expect(faultsOf(place.database)).toEqual([]);
  });

  it.each(['a file', 'standard input'])(
    'imports nothing of %s under --strict if a line is invalid',
    async (what) => {
      const place = workplace({ 'a.ndjson': ndjson(bad) });
      const isFile = what === 'a file';
      const args = ['import', '--strict', isFile ? 'a.ndjson' : '-'];
      const { code, stderr } = await (isFile ? place.runHere(args) : place.run(args, ndjson(bad)));
      expect(code).toBe(1);
      expect(stderr).toContain('Nothing was imported.');
      expect(
        reportOf(place.read(isFile ? 'a.refused.ndjson' : 'stdin.refused.ndjson')),
      ).toHaveLength(2);
      const { activities, badges, wallets } = dump(place.database);
      expect([activities, badges, wallets]).toEqual([[], [], []]);
    },
  );

  it('refuses a long line and continues', async () => {
    const place = workplace();
    const long = JSON.stringify(activityLine('solana', 1, { source: 'x'.repeat(3_000_000) }));
    const { code } = await place.run(
      ['import', '-'],
      `${long}\n${ndjson([activityLine('solana', 2)])}`,
    );
    expect(code).toBe(1);
    expect(reportOf(place.read('stdin.refused.ndjson'))).toMatchObject([
      { line: 1, code: 'line-too-long' },
    ]);
    expect(dump(place.database).activities).toHaveLength(1);
  });

  it('reports where a truncated gzip file broke off, after importing what was readable', async () => {
    const whole = gzipSync(TEXT);
    const place = workplace({
      'cut.gz': whole.subarray(0, -200),
      'other.ndjson': ndjson([activityLine('algorand', 77)]),
    });
    const { code, stderr } = await place.runHere(['import', 'cut.gz', 'other.ndjson']);
    expect(code).toBe(1);
    expect(stderr).toContain('cut.gz: the gzip file is truncated');
    const { activities } = dump(place.database);
    expect(activities.length).toBeGreaterThan(1_000);
    expect(activities.length).toBeLessThan(1_501);
    expect(activities).toContainEqual(
      expect.objectContaining({ description: 'Voted on proposal 77' }),
    );
    expect(faultsOf(place.database)).toEqual([]);

    const strict = workplace({ 'cut.gz': whole.subarray(0, -200) });
    expect(await strict.runHere(['import', '--strict', 'cut.gz'])).toMatchObject({ code: 1 });
    expect(dump(strict.database).wallets).toEqual([]);
  });

  it.each([
    ['no file', ['import'], 'needs FILE'],
    ['a file that is not there', ['import', 'a.ndjson', 'b.ndjson'], 'File not found: b.ndjson'],
    ['a folder', ['import', '.'], 'is a folder'],
    ['an unknown option', ['import', 'a.ndjson', '--strikt'], "'--strikt'"],
    ['standard input twice', ['import', '-', '-'], 'only once'],
    ['a report over an input', ['import', 'a.ndjson', '--report', './a.ndjson'], 'would replace'],
    ['a bad number of seconds', ['import', 'a.ndjson', '--retry-for', 'soon'], 'whole number'],
  ])('exits with 2 and imports nothing when given %s', async (_, args, message) => {
    const place = workplace({ 'a.ndjson': TEXT });
    const there = args.map((each) =>
      each.replace(/^(?:\.|(?:\.\/)?[ab]\.ndjson)$/, `${place.cwd}/$&`),
    );
    const { code, stdout, stderr } = await runHere(there, place.env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message.replace('b.ndjson', `${place.cwd}/b.ndjson`));
    expect(existsSync(place.database)).toBe(false);
    expect(place.read('a.ndjson')).toBe(TEXT);
  });

  it.each(['', 'sqlite::memory:'])(
    'refuses to import into a store that is not persistent (%j)',
    async (url) => {
      const { cwd } = workplace({ 'a.ndjson': TEXT });
      const result = await runHere(['import', join(cwd, 'a.ndjson')], { DATABASE_URL: url });
      expect(result.code).toBe(2);
      expect(result.stderr).toContain('Set DATABASE_URL');
    },
  );

  it('leaves a file that is not a database unchanged', async () => {
    const place = workplace({ 'a.ndjson': TEXT, 'fathom.db': 'not a database, '.repeat(100) });
    const { code, stderr } = await place.runHere(['import', 'a.ndjson']);
    expect(code).toBe(1);
    expect(stderr).toContain("isn't an SQLite database");
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(place.read('fathom.db')).toBe('not a database, '.repeat(100));
  });
});
