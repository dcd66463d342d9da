import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { verifyEvidence } from '#cli/evidence/proof-file';
import { ProofFault } from '#scoring/proof/format';
import { forged } from '../support/evidence-file.ts';
import { openQuietly } from '../support/filled-store.ts';
import { runCli, workplace } from '../support/import-cli.ts';
import { walletOf } from '../support/import-lines.ts';
import { activityOf, batchOf, eventOf, writeTo } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

const RULES = rulesText(
  [
    '{id: workshop, on: {import: workshop_attended}, where: {hours: {gte: 1}}, give: {type: event_attended, points: 25, cap: 60 per 30d, half_life: 90d}}',
    '{id: vote, on: {import: voted}, give: {type: governance_vote, points: 5}}',
  ],
  { more: 'discounts:\n  - {id: known, list: ./sybils.csv, factor: 500}\n' },
);
const DAY = 86_400;
const byText = (one: string, other: string) => (one < other ? -1 : 1);

/** A database with 400 wallets, some with imported points, some with evidence only. */
async function filled() {
  const place = workplace();
  const store = await openQuietly(place.env.DATABASE_URL);
  const scored = new ScoredStore(store, TODAY);
  const events = Array.from({ length: 400 }, (_, i) =>
    Array.from({ length: 1 + (i % 5) }, (_, n) =>
      eventOf(walletOf(i), `w${i}-${n}`, {
        event: n % 2 === 0 ? 'workshop_attended' : 'voted',
        timestamp: (TODAY - 200 + ((i * 7 + n * 31) % 200)) * DAY,
        args: JSON.stringify({ hours: String(i % 3), 'na"me': '✓ \u2028' }),
      }),
    ),
  ).flat();
  await scored.add(...events);
  const activities = [...Array(40).keys()].map((i) =>
    activityOf(walletOf(380 + i), `k${i}`, { points: i - 20 }),
  );
  await writeTo(store, batchOf({ activities }));
  await scored.apply(RULES, { './sybils.csv': `address\n${walletOf(3).address}\n` });
  const source = await store.openSource();
  const scores: string[] = [];
  for (let i = 0; i < 420; i += 1) {
    const known = await source.reading().reputation(walletOf(i));
    if (known !== undefined) scores.push(`${known.address} ${known.score}\n`);
  }
  await store.close();
  return { place, digest: createHash('sha256').update(scores.sort(byText).join('')).digest('hex') };
}

/** What the first test has exported, for the others to change. */
let original: string[] = [];

/** Why a file with these bytes is rejected. */
async function faultOf(bytes: Uint8Array): Promise<string> {
  const options = { signal: new AbortController().signal, onProgress: () => undefined };
  const verified = verifyEvidence([bytes], options);
  await expect(verified).rejects.toThrow(ProofFault);
  return verified.then(String, (error: Error) => error.message);
}

const packed = (lines: readonly string[]) => gzipSync(`${lines.join('\n')}\n`);

/** The index of the first line that contains all of these texts. */
const placeOf = (...texts: readonly string[]) =>
  original.findIndex((line) => texts.every((text) => line.includes(text)));

function changed(place: number, from: string | RegExp, to: string): string[] {
  const line = original[place] as string;
  expect(line).toMatch(from);
  return original.with(place, line.replace(from, to));
}

describe('an evidence file', () => {
  it('verifies anywhere, with the digest of the scores shown', async () => {
    const { place, digest } = await filled();
    const exported = await place.run(['evidence', 'export', 'all.ndjson.gz']);
    expect(exported).toMatchObject({ code: 0 });
    expect(exported.stdout).toContain(`digest ${digest}\n`);
    const bytes = readFileSync(join(place.cwd, 'all.ndjson.gz'));
    original = gunzipSync(bytes).toString().trimEnd().split('\n');
    // With neither a database nor a setting.
    const { cwd } = workplace();
    writeFileSync(join(cwd, 'f.gz'), bytes);
    writeFileSync(join(cwd, 'g.gz'), bytes.subarray(0, -1));
    const verify = (name: string) => runCli(['evidence', 'verify', name], { cwd });
    const result = await verify('f.gz');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain(
      'f.gz is valid: every score follows from its evidence.\ntest, version 1',
    );
    expect(await verify('g.gz')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringMatching(
        /^g\.gz doesn't hold\. After line \d+: the gzip file is truncated/,
      ),
    });
    expect(await verify('h.gz')).toMatchObject({ code: 2, stderr: 'File not found: h.gz.\n' });
    expect(result.stdout).toContain(`digest ${digest}\n`);
    // Never overwrites a file.
    const again = await place.run(['evidence', 'export', 'all.ndjson.gz']);
    expect(again).toMatchObject({ code: 2, stdout: '' });
  });

  it('has a checkpoint every thousand lines, and a canonical form', () => {
    expect(forged(original)).toEqual(original);
    expect(original.length).toBeGreaterThan(1_500);
    const kinds = new Set(original.map((line) => JSON.parse(line).kind));
    expect([...kinds]).toEqual(
      [...['header', 'rules', 'list', 'event', 'activity', 'result', 'checkpoint', 'end']].toSorted(
        (a, b) => placeOf(`"kind":"${a}"`) - placeOf(`"kind":"${b}"`),
      ),
    );
  });

  it('shows which lines were changed', async () => {
    const event = placeOf('"kind":"event"', '"hours":"2"');
    expect(await faultOf(packed(changed(event, '"hours":"2"', '"hours":"0"')))).toBe(
      'Lines 1 to 1001 aren’t what was exported: their checkpoint doesn’t match.',
    );
    const later = original.findIndex((line, i) => i > 1_100 && line.includes('"kind":"result"'));
    const other = await faultOf(packed(changed(later, /"score":\d+/, '"score":9999')));
    expect(other).toMatch(/Lines 1002 to \d+ aren’t what was exported/);
    // A line more, so that the checkpoint comes a line late.
    const doubled = (at: number) => [...original.slice(0, at), ...original.slice(at - 1)];
    expect(await faultOf(packed(doubled(500)))).toMatch(
      /^Lines 1 to 1001 aren’t what was exported:/,
    );
    const last = doubled(original.length - 2);
    expect(await faultOf(packed(last))).toMatch(/^Lines 1002 to \d+ aren’t what was exported:/);
  });

  it('shows the first wallet and rule if all checkpoints match', async () => {
    const place = placeOf('"kind":"result"', '"id":"workshop","points":25');
    const { address } = JSON.parse(original[place] as string);
    const points = changed(place, '"workshop","points":25', '"workshop","points":75');
    expect(await faultOf(packed(forged(points)))).toBe(
      `Line ${place + 1}: ${address}, rule workshop: the evidence gives 25 points, but the file says 75.`,
    );
    const rule = /\{"id":"workshop"[^}]*\}/.exec(original[place] as string)?.[0] ?? '';
    expect(await faultOf(packed(forged(changed(place, rule, `${rule},${rule}`))))).toBe(
      `Line ${place + 1}: ${address}: the file has rule workshop twice.`,
    );
    const count = changed(place, /("id":"workshop","points":25,"count":)\d/, '$17');
    expect(await faultOf(packed(forged(count)))).toBe(
      `Line ${place + 1}: ${address}, rule workshop: the evidence gives ${JSON.parse(rule).count} as the number of events, but the file says 7.`,
    );
    const score = changed(place, /"score":\d+/, '"score":9999');
    expect(await faultOf(packed(forged(score)))).toContain('the file says a score of 9999.');
    const rules = changed(placeOf('"kind":"rules"'), 'points: 25', 'points: 26');
    expect(await faultOf(packed(forged(rules)))).toMatch(
      /the hash of the rules is [0-9a-f]{64}, but the header says [0-9a-f]{64}/,
    );
    const version = changed(placeOf('"name":"test"'), '"version":1', '"version":7');
    expect(await faultOf(packed(forged(version)))).toContain(
      'the rules are test, version 1, but the header says test, version 7.',
    );
    const list = changed(placeOf('"kind":"list"'), walletOf(3).address, walletOf(4).address);
    expect(await faultOf(packed(forged(list)))).toContain('the hash of the rules is');
    const day = changed(0, /"asOf":"\d{4}/, '"asOf":"2031');
    expect(await faultOf(packed(forged(day)))).toContain('rule workshop');
    const without = original.toSpliced(placeOf('"kind":"activity"'), 1);
    expect(await faultOf(packed(forged(without)))).toMatch(/its imported|evidence/);
  });

  it.each<[string, () => Uint8Array | string, RegExp]>([
    [
      'cut off',
      () => packed(original).subarray(0, 5_000),
      /After line \d+: the gzip file is trunc/,
    ],
    [
      'cut off at a line',
      () => packed(original.slice(0, 700)),
      /ends after line 700: .* truncated/,
    ],
    ['cut off in a line', () => gzipSync(original.join('\n').slice(0, -9)), /breaks off/],
    ['without its end', () => packed(forged(original.slice(0, -2))), /the file is truncated/],
    ['something else', () => 'address,score\n0x,5\n', /isn’t an evidence file/],
    ['empty', () => '', /the file is truncated/],
    ['no text', () => gzipSync(Buffer.from([0x7b, 0xff, 0x0a, 0x0a])), /isn't UTF-8 text/],
    ['a bomb', () => gzipSync(Buffer.alloc(64 * 1024 * 1024)), /more than 4194304 bytes/],
    [
      'with a foreign line',
      () => packed(forged(original.toSpliced(5, 0, '{"kind":"sybil"}'))),
      /Line 6: its kind "sybil" doesn’t belong/,
    ],
    [
      'with a field of another form',
      () => packed(forged(changed(placeOf('"kind":"event"'), /"time":\d+/, '"time":1.5'))),
      /its "time" can’t be 1.5/,
    ],
    [
      'with an imported event at two times',
      () => packed(forged(changed(placeOf('"kind":"event"'), /"time":\d+/, '"time":5'))),
      /^Line \d+: the height of an imported event is its time\.$/,
    ],
    [
      'with an event twice',
      () =>
        packed(
          forged(
            original.toSpliced(
              placeOf('"kind":"event"'),
              0,
              original[placeOf('"kind":"event"')] as string,
            ),
          ),
        ),
      /twice/,
    ],
    [
      'with a wallet twice',
      () =>
        packed(forged(original.toSpliced(-2, 0, original[placeOf('"kind":"result"')] as string))),
      /out of order/,
    ],
    [
      'with a header twice',
      () => packed(forged(original.toSpliced(2, 0, original[0] as string))),
      /header already/,
    ],
    [
      'with something behind its end',
      () => packed([...original, original[1] as string]),
      /nothing may come after/,
    ],
    [
      'of a later format',
      () => packed(forged(changed(0, '"format":1', '"format":2'))),
      /format 2 is unknown/,
    ],
    [
      'with an event in a form that the comparison with chains would overlook',
      () => {
        const event = placeOf('"kind":"event"');
        return packed(
          forged(changed(event, /^\{"kind":"event",([\s\S]*)\}$/, '{$1,"kind":"event"}')),
        );
      },
      /^Line \d+: it doesn’t begin with its kind\.$/,
    ],
    [
      'with a kind twice',
      () => {
        const event = placeOf('"kind":"event"');
        return packed(
          forged(changed(event, /^\{"kind":"event"/, '{"kind":"result","kind":"event"')),
        );
      },
      /^Line \d+: it doesn’t begin with its kind\.$/,
    ],
    [
      'with an address that a terminal would carry out',
      () => {
        const [event, sign] = [placeOf('"kind":"event"'), '\\u001b[2J\u009b2J\u202e'];
        return packed(forged(changed(event, /"address":"/, `"address":"${sign}`)));
      },
      /^Line \d+: "?\[2J2J0x\w+"? is/,
    ],
    [
      'with an address that isn’t canonical',
      () =>
        packed(
          forged(
            original.map((line) =>
              line.replaceAll(walletOf(7).address, walletOf(7).address.toUpperCase()),
            ),
          ),
        ),
      /canonical address|out of order/,
    ],
  ])(
    'An evidence file that is %s is told apart from one that holds',
    async (_, bytes, sentence) => {
      const fault = await faultOf(Buffer.from(bytes()));
      expect(fault).toMatch(sentence);
      expect(fault.length).toBeLessThan(500);
    },
  );
});

describe('exporting evidence', () => {
  it('reports that no rules are live, and leaves no file', async () => {
    const place = workplace();
    await (await openQuietly(place.env.DATABASE_URL)).close();
    expect(await place.run(['evidence', 'export', 'x.gz'])).toMatchObject({
      ...{ code: 2, stderr: 'No rules are live, so there is no evidence to export.\n' },
    });
    expect(() => place.read('x.gz')).toThrow('ENOENT');
  });
});
