import { expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { SettledDay } from '#base/time/clock';
import type { LiveRules } from '#scoring/rules-file/live-rules';
import { untilPasses } from '../../support/eventually.ts';
import { followedRules } from '../../support/followed-rules.ts';
import { ETH_A } from '../../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../../support/scoring.ts';

const workshop =
  '{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}';

it('The service applies the file if no rules are live, and follows imports', async () => {
  const { start, said, write, add, score } = await followedRules();
  await add('w1');
  write(rulesText([workshop]));
  const rules = start();
  await untilPasses(async () => expect(await score()).toBe(25));
  await add('w2');
  await untilPasses(async () => expect(await score()).toBe(50));
  expect(rules.status()).toEqual({ ok: true, detail: 'test version 1' });
  expect(said).toContain('test version 1 is live');
  await rules.stop();
});

it('The service has rules pending until the first are live, but not if the file is broken', async () => {
  const { start, store, write } = await followedRules();
  write(rulesText([workshop]));
  const begin = Promise.withResolvers<void>();
  const isBegun = vi.spyOn(store.scoring, 'begin').mockImplementationOnce(async () => {
    await begin.promise;
    throw new RetryableError('not yet');
  });
  const rules = start();
  expect(rules.isPending).toBeUndefined();
  await untilPasses(() => expect(isBegun).toHaveBeenCalled());
  expect(rules.isPending).toBe(true);
  begin.resolve();
  await untilPasses(async () => expect(await store.scoring.live()).toBeDefined());
  await untilPasses(() => expect(rules.isPending).toBe(false));
  await rules.stop();

  const other = await followedRules();
  other.write('fathom: 1\nnaem: x');
  const broken = other.start();
  await untilPasses(() => expect(broken.status()?.ok).toBe(false));
  await untilPasses(() => expect(broken.isPending).toBe(false));
  await broken.stop();
});

it('The service takes no daily step from a clock that is set far ahead by mistake', async () => {
  const { start, said, store, write, add, score } = await followedRules();
  let ahead = 0;
  const rules = start(undefined, { day: new SettledDay(() => Date.now() + ahead) });
  write(rulesText([workshop]));
  await untilPasses(async () => expect(await store.scoring.live()).toBeDefined());
  const before = await store.scoring.live();
  ahead = 3_650 * 86_400_000;
  await untilPasses(() => expect(said.join()).toContain('system clock is days ahead'));
  await add('w1');
  await untilPasses(async () => expect(await score()).toBe(25));
  expect((await store.scoring.live())?.asOf).toBe(before?.asOf);
  ahead = 0;
  await untilPasses(() => expect(said).toContain('the system clock is trusted again'));
  await rules.stop();
});

it('The service reads no rules again that it has in memory, as their lists may be long', async () => {
  const { start, store, write } = await followedRules();
  const read = vi.spyOn(store.scoring, 'rules');
  const [one, two] = [1, 2].map((version) => rulesText([workshop], { version }));
  write(one as string);
  const rules = start();
  const versions = () => {
    const { live, others } = rules.wanted();
    return [live, ...others].map((each) => each?.version);
  };
  await untilPasses(() => expect(versions()).toEqual([1, 1]));
  write(two as string);
  await untilPasses(() => expect(versions()).toEqual([1, 2]));
  await new ScoredStore(store, TODAY).apply(two as string);
  // Live, in the file, and before.
  await untilPasses(() => expect(versions()).toEqual([2, 2, 1]));
  expect(read).not.toHaveBeenCalled();
  await new ScoredStore(store, TODAY).apply(one as string);
  await untilPasses(() => expect(versions()).toEqual([1, 2, 2]));
  expect(read).toHaveBeenCalledTimes(1);
  await rules.stop();
});

it('The service treats a different file as a candidate, even at a later start', async () => {
  const { start, said, write, add, score } = await followedRules();
  write(rulesText([workshop]));
  const first = start();
  await untilPasses(() => expect(first.status()?.detail).toBe('test version 1'));
  const other = workshop.replace('points: 25', 'points: 99');
  write(rulesText([other], { version: 2 }));
  const isCandidate = (rules: LiveRules) =>
    expect(rules.status()).toEqual({
      ok: true,
      detail: 'test version 1; the file has version 2, which waits to be applied',
    });
  await untilPasses(() => isCandidate(first));
  // Typed as it stands, the command works.
  const applies = /"fathom rules apply \S+rules\.yaml"/;
  expect(said.filter((text) => applies.test(text))).toHaveLength(1);
  await first.stop();
  const second = start();
  await untilPasses(() => isCandidate(second));
  await add('w1');
  await untilPasses(async () => expect(await score()).toBe(25));
  await second.stop();
});

it('The service calls the file a candidate again once its rules were undone', async () => {
  const { start, said, store, write } = await followedRules();
  write(rulesText([workshop]));
  const rules = start();
  await untilPasses(() => expect(rules.status()?.detail).toBe('test version 1'));
  const other = rulesText([workshop.replace('points: 25', 'points: 99')], { version: 2 });
  write(other);
  const candidates = () => said.filter((text) => text.includes("(version 2) isn't what is live"));
  await untilPasses(() => expect(candidates()).toHaveLength(1));
  const scored = new ScoredStore(store, TODAY);
  await scored.apply(other);
  await untilPasses(() => expect(rules.status()?.detail).toBe('test version 2'));
  await scored.apply(rulesText([workshop]));
  await untilPasses(() => expect(candidates()).toHaveLength(2));
  await rules.stop();
});

it('The service continues with the live rules if the file is broken or gone', async () => {
  const { start, said, write, add, score } = await followedRules();
  write(rulesText([workshop]));
  const first = start();
  await untilPasses(() => expect(first.status()?.detail).toBe('test version 1'));
  write(rulesText([workshop.replace('points', 'pionts')], { version: 2 }));
  await untilPasses(() => expect(first.status()?.ok).toBe(false));
  expect(first.status()?.detail).toBe(
    "test version 1; the file can't be used, and the log says why",
  );
  expect(said.at(-1)).toContain(
    'Did you mean points? "fathom rules check" lists every fault. The live rules go on.',
  );
  await add('w1');
  await untilPasses(async () => expect(await score()).toBe(25));
  await first.stop();
  const second = start('/nowhere/rules.yaml');
  await untilPasses(() => expect(second.status()?.ok).toBe(false));
  await add('w2');
  await untilPasses(async () => expect(await score()).toBe(50));
  await second.stop();
  // The live rules continue without a file.
  const { store } = await followedRules();
  expect(await store.scoring.live()).toBeUndefined();
});

it('The service says that a changed meaning needs a new version, which apply would reject', async () => {
  const { start, said, write } = await followedRules();
  write(rulesText([workshop]));
  const rules = start();
  await untilPasses(() => expect(rules.status()?.detail).toBe('test version 1'));
  write(rulesText([workshop.replace('points: 25', 'points: 99')]));
  const why =
    'Version 1 of test was already applied with different content. Give these rules version 2.';
  await untilPasses(() =>
    expect(rules.status()).toEqual({
      ok: true,
      detail: `test version 1; the file can't be applied: ${why}`,
    }),
  );
  expect(said.at(-1)).toMatch(
    /isn't what is live \(version 1\)\. Version 1 of test was already applied/,
  );
  expect(said.at(-1)).not.toContain('fathom rules apply');
  await rules.stop();
});

it('The service reads the file again once a list that it names exists', async () => {
  const { start, said, write, writeList } = await followedRules();
  const more = 'discounts:\n  - {id: known, list: ./list.csv, factor: 0}\n';
  write(rulesText([workshop], { more }));
  const rules = start();
  await untilPasses(() => expect(rules.status()?.ok).toBe(false));
  expect(said.at(-1)).toMatch(/list\.csv: the file doesn't exist.* No rules are live\.$/);
  writeList(`address\n${ETH_A.address}\n`);
  await untilPasses(() => expect(rules.status()).toEqual({ ok: true, detail: 'test version 1' }));
  // The same next to live rules.
  write(rulesText([workshop], { version: 2, more: more.replace('list.csv', 'other.csv') }));
  await untilPasses(() => expect(rules.status()?.ok).toBe(false));
  write(rulesText([workshop], { more }));
  await untilPasses(() => expect(rules.status()?.ok).toBe(true));
  writeList('address\nnobody\n');
  await untilPasses(() => expect(rules.status()?.ok).toBe(false));
  writeList(`address\n${ETH_A.address}\n`);
  await untilPasses(() => expect(rules.status()).toEqual({ ok: true, detail: 'test version 1' }));
  await rules.stop();
});

it('The service goes live before chains are read, and reports what is to be read', async () => {
  const { start, write, store } = await followedRules();
  write(
    rulesText(
      [
        '{id: vote, on: {source: snap, space: reef.eth, since: 2024-01-01}, give: {type: vote, points: 1}}',
      ],
      { more: 'sources:\n  snap: {chain: snapshot, hub: [SNAP_URL]}\n' },
    ),
  );
  const rules = start();
  await untilPasses(async () => expect(await store.scoring.live()).toBeDefined());
  await untilPasses(() =>
    expect(rules.wanted().live?.sources.map(({ id }) => id)).toEqual(['snap']),
  );
  await rules.stop();
});

it.each([
  ['a bug', new TypeError('a bug')],
  ['a failure that lasts', new RetryableError('The disk is full.')],
])('The service says while %s keeps evidence from being scored', async (_, error) => {
  const { start, said, write, add, score, source, store } = await followedRules();
  write(rulesText([workshop]));
  const rules = start();
  await add('w1');
  await untilPasses(async () => expect(await score()).toBe(25));
  expect(rules.isUnscored).toBe(false);
  expect(source.reading().isStale).toBe(false);
  const written = vi.spyOn(store.scoring, 'write').mockImplementation(() => {
    throw error;
  });
  await add('w2');
  await untilPasses(() => expect(rules.isUnscored).toBe(true));
  expect(rules.status()).toEqual({
    ok: false,
    detail:
      'test version 1; new evidence isn\'t being scored; see the log. If the rules cause it, correct them and run "fathom rules apply FILE"',
  });
  // Catching up with the ledger must not make the scores look complete.
  await store.refresh();
  const reading = source.reading();
  expect(await reading.reputation(ETH_A)).toMatchObject({ score: 25 });
  expect(reading.isStale).toBe(true);
  written.mockRestore();
  await untilPasses(async () => expect(await score()).toBe(50));
  await untilPasses(() => expect(source.reading().isStale).toBe(false));
  expect(rules.isUnscored).toBe(false);
  expect(rules.status()).toEqual({ ok: true, detail: 'test version 1' });
  expect(said).toContain('the rules are followed again');
  await rules.stop();
});

it('The service continues with rules that were live before their points were too many, and says so', async () => {
  const { start, said, write, add, score, store } = await followedRules();
  const text = rulesText([workshop.replace('points: 25', 'points: 9007199254740991')]);
  await new ScoredStore(store, TODAY).apply(text);
  write(text);
  const rules = start();
  await untilPasses(() => expect(rules.status()?.ok).toBe(false));
  const refused = 'A rule gives a wallet at most 1000000000000 points';
  expect(said.find((line) => line.includes(refused))).toContain('The live rules go on.');
  await add('w1');
  await untilPasses(async () => expect(await score()).toBe(10 ** 12));
  await add('w2');
  await untilPasses(async () => expect((await store.scoring.live())?.arrived).toBe(2));
  expect(await score()).toBe(10 ** 12);
  expect(rules.isUnscored).toBe(false);
  await rules.stop();
});
