import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { openQuietly } from '../support/filled-store.ts';
import { workplace } from '../support/import-cli.ts';
import { addressOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

it('fathom sybil report lists wallets that act alike in a file that rules can use, and changes nothing', async () => {
  const place = workplace();
  const store = await openQuietly(place.env.DATABASE_URL);
  const scored = new ScoredStore(store, TODAY);
  const acts = ['swapped', 'bridged', 'voted'];
  for (let i = 0; i < 6; i += 1) {
    const wallet = { chain: 'ethereum', address: addressOf('ethereum', i) } as const;
    // The last two are a day later than the others, and too few.
    const start = 1_700_000_000 + i * 90 + (i < 4 ? 0 : 86_400);
    const at = (n: number) => ({ event: acts[n] as string, timestamp: start + n * 3_600 });
    await scored.add(...acts.map((_, n) => eventOf(wallet, `${i}-${n}`, at(n))));
  }
  await store.close();
  const printed = await place.run(['sybil', 'report']);
  expect(printed.code).toBe(0);
  expect(printed.stderr).toContain(
    '1 group with 4 wallets. Review them before you use the list.\n',
  );
  const none = await place.runHere(['sybil', 'report', '--wallets', '7']);
  expect(none).toMatchObject({ code: 0, stdout: 'address,group,evidence\n' });
  expect(none.stderr).toContain('No wallets act alike.\n');
  const [head, ...lines] = printed.stdout.trimEnd().split('\n');
  expect(head).toBe('address,group,evidence');
  expect(lines.map((line) => line.split(',')[0])).toEqual(
    [0, 1, 2, 3].map((i) => addressOf('ethereum', i)),
  );
  expect(lines[0]).toContain(
    ',group-1,4 wallets: swapped > bridged > voted; 2023-11-14T22:13:20Z to 2023-11-15T00:17:50Z; at most 90 s apart',
  );
  expect(await place.runHere(['sybil', 'report', 'list.csv', '--wallets', '2'])).toMatchObject({
    ...{ code: 0, stdout: '' },
    stderr: expect.stringContaining('2 groups with 6 wallets.'),
  });
  expect(place.read('list.csv').split('\n')).toHaveLength(8);
  const rule = '{id: a, on: {import: voted}, give: {type: voted, points: 1}}';
  const more = 'discounts:\n  - {id: known, list: ./list.csv, factor: 0}\n';
  writeFileSync(join(place.cwd, 'rules.yaml'), rulesText([rule], { more }));
  const checked = await place.runHere(['rules', 'check', 'rules.yaml']);
  const { rules: words } = textsFor('en');
  expect(checked.stdout).toContain(`known: ${words.discountList('6', false, '0%')}.`);
  expect(await place.runHere(['sybil', 'report', '--run', '2', '--actions', '4'])).toMatchObject({
    stdout: expect.stringContaining(',group-1,4 wallets: swapped > bridged > voted; '),
  });
  expect(await place.runHere(['sybil', 'report', '--minutes', '0'])).toMatchObject({
    ...{ code: 2, stderr: '--minutes must be a whole number of at least 1.\n' },
  });
});
