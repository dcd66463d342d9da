import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { addScoringMetrics } from '#app/scoring/metrics';
import { ScoringThread } from '#app/scoring/thread';
import { chains } from '#chains/index';
import { parseAddressList } from '#core/scoring/address-list';
import { Evaluation } from '#core/scoring/editions/evaluation';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { createWalletParser } from '#core/wallet';
import { beatInto } from '#core/work/heartbeat';
import { Watchdog } from '#runtime/watchdog';
import { openQuietly } from './support/filled-store.ts';
import { addressOf } from './support/import-lines.ts';
import { ETH_A } from './support/ledger.ts';
import { validRules } from './support/rules.ts';
import { rulesText, TODAY, workshop } from './support/scoring.ts';

const FAST = { first: 1, most: 5 };
const NEVER = { first: 3_600_000, most: 3_600_000 };

/** A thread that behaves as its rules file is called. */
async function scoringThat(path: string | undefined, hung = { first: 200, most: 200 }) {
  const store = await openQuietly('sqlite::memory:');
  const lines: string[] = [];
  const say = (_: object, message: string) => void lines.push(message);
  const log = { debug: () => undefined, info: say, warn: say, error: say };
  const marks: boolean[] = [];
  const elsewhere = { isUnscored: false };
  const scoring = new ScoringThread({
    ...{ store, log, hung, restart: FAST, watchMs: 5, silentMs: 50, stopMs: 100 },
    config: { databaseUrl: 'sqlite::memory:', thresholds: DEFAULT_THRESHOLDS, rulesPath: path },
    mark: (_, isUnscored) => void marks.push(isUnscored),
    ...{ replica: 'one', isUnscoredElsewhere: () => elsewhere.isUnscored },
    thread: new URL('./support/unruly-scoring.ts', import.meta.url),
  });
  onTestFinished(async () => {
    await scoring.stop();
    await store.close();
  });
  const registry = new Registry();
  addScoringMetrics(registry, scoring);
  const metric = async (name: string) => {
    const text = await registry.getSingleMetricAsString(name);
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  return { scoring, lines, marks, metric, elsewhere };
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

it('says that a thread hangs, ends it, and starts another', async () => {
  const { scoring, lines, marks, metric } = await scoringThat('hangs');
  scoring.begin();
  await until(() => expect(lines.join('\n')).toContain('scoring has stopped responding'));
  expect(marks).toContain(true);
  await until(() => expect(scoring.state().restarts).toBeGreaterThan(1));
  expect(lines.join('\n')).toContain('scoring hangs; ending it');
  expect(lines.join('\n')).toContain('scoring failed; restarting it');
  await until(async () => expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']));
  const [restarts] = await metric('fathom_scoring_restarts_total');
  expect(Number(restarts?.split(' ')[1])).toBeGreaterThan(1);
});

it('says that scoring does not respond for as long as it does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-scoring-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'go on');
  const { scoring, lines, marks } = await scoringThat(`pauses until ${file}`, NEVER);
  scoring.begin();
  // It may seem silent even before it has started.
  await until(() => expect(lines.join('\n')).toContain('scoring has stopped responding'));
  await until(() => {
    expect(scoring.state().rules?.ok).toBe(false);
    expect(scoring.state().rules?.detail).toContain('stopped responding');
    expect(scoring.state().isUnscored).toBe(true);
    expect(marks.at(-1)).toBe(true);
  });
  writeFileSync(file, '');
  await until(() => expect(lines.join('\n')).toContain('scoring responds again'));
  // On a busy machine it may seem silent once more.
  await until(() => {
    expect(scoring.state().rules).toEqual({ ok: true, detail: 'well' });
    expect(marks.at(-1)).toBe(false);
  });
  expect(scoring.state().restarts).toBe(0);
});

it.each(['dies at once', 'ends at once'])(
  'shows its figures from the start, also if the thread %s',
  async (path) => {
    const { scoring, marks, metric } = await scoringThat(path);
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']);
    expect(await metric('fathom_scoring_restarts_total')).toEqual([
      'fathom_scoring_restarts_total 0',
    ]);
    expect(scoring.state().rules).toEqual({ ok: true, detail: 'starting' });
    scoring.begin();
    await until(() => expect(scoring.state().restarts).toBeGreaterThan(1));
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']);
    expect(scoring.state().rules).toMatchObject({ ok: false });
    expect(marks).toContain(true);
  },
);

it('says so if only another replica knows that evidence goes unscored', async () => {
  // It pauses for nothing, and tells its state again and again: on a busy machine it may seem silent.
  const { scoring, metric, elsewhere } = await scoringThat(`pauses until ${tmpdir()}`, NEVER);
  scoring.begin();
  const well = { ok: true, detail: 'well' };
  await until(() => expect(scoring.state().rules).toEqual(well));
  elsewhere.isUnscored = true;
  await until(() =>
    expect(scoring.state()).toMatchObject({
      rules: { ok: false, detail: expect.stringMatching(/^well; another replica can't score/) },
      isUnscored: true,
    }),
  );
  expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']);
  elsewhere.isUnscored = false;
  await until(() => expect(scoring.state().rules).toEqual(well));
});

it('has no figures of rules where there are none', async () => {
  const { scoring, metric } = await scoringThat(undefined);
  scoring.begin();
  expect(await metric('fathom_rules_up')).toEqual([]);
  expect(scoring.state().rules).toBeUndefined();
});

it('ends a thread that never takes the message to stop', async () => {
  const { scoring } = await scoringThat('computes', NEVER);
  scoring.begin();
  await until(() => expect(scoring.state().rules?.detail).toBe('well'));
  await scoring.stop();
  expect(scoring.state().restarts).toBe(0);
});

it('beats while it computes what may take long', () => {
  const counter = new SharedArrayBuffer(4);
  beatInto(counter);
  const beats = new Int32Array(counter);
  const beaten = () => Atomics.exchange(beats, 0, 0);
  const { rules } = validRules(rulesText([workshop, workshop.replace('workshop', 'other')]));
  const evaluation = new Evaluation(rules, (text) => hash('sha256', text));
  beaten();
  evaluation.score({ number: 1, wallet: ETH_A, events: [] }, TODAY);
  expect(beaten()).toBe(2);
  parseAddressList(`${ETH_A.address}\n`.repeat(50), createWalletParser(chains));
  expect(beaten()).toBeGreaterThanOrEqual(50);
  const listed = 'discounts: [{id: known, list: ./known.csv, factor: 0}]\n';
  const addresses = Array.from({ length: 50 }, (_, i) => addressOf('ethereum', i)).join('\n');
  const file = rulesText([workshop], { more: listed });
  const known = validRules(file, { './known.csv': addresses });
  // Parsed, and hashed.
  expect(beaten()).toBeGreaterThanOrEqual(100);
  new Evaluation(known.rules, (text) => hash('sha256', text));
  expect(beaten()).toBeGreaterThanOrEqual(50);
});

it('measures silence by the time that its watcher has lived through', () => {
  let now = 1_000;
  const watchdog = new Watchdog(() => now);
  const beats = new Int32Array(watchdog.counter);
  const look = (passed: number) => {
    now += passed;
    return watchdog.look();
  };
  expect(look(1_000)).toBe(1_000);
  expect(look(1_000)).toBe(2_000);
  // The machine slept, or nobody had the processor.
  expect(look(3_600_000)).toBe(4_000);
  Atomics.add(beats, 0, 1);
  expect(look(3_600_000)).toBe(0);
  expect(look(500)).toBe(500);
});
