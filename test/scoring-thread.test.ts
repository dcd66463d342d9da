import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import type { ScoringPart } from '#app/scoring/engine';
import { addScoringMetrics } from '#app/scoring/index';
import { ScoringThread } from '#app/scoring/thread';
import { Watchdog } from '#base/process/threads';
import type { WorkHealth, WorkHealths } from '#cluster/notices';
import { countHeartbeatsIn } from '#cluster/store';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { RULES_CLAIM } from '#scoring/rules-file/live-rules';
import { addressListSteps } from '#scoring/rules-file/read-file';
import { runSteps } from '#scoring/rules-file/steps';
import { Evaluation } from '#scoring/score-versions/evaluation';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { untilPasses } from './support/eventually.ts';
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
  const reports: (readonly [ScoringPart, WorkHealths])[] = [];
  const elsewhere: { rules: WorkHealth } = { rules: undefined };
  const scoring = new ScoringThread({
    ...{ store, log, hung, restart: FAST, watchMs: 5, silentMs: 50, stopMs: 100 },
    config: { databaseUrl: 'sqlite::memory:', thresholds: DEFAULT_THRESHOLDS, rulesPath: path },
    report: (part, healths) => void reports.push([part, healths]),
    ...{ replica: 'one', elsewhere: () => elsewhere.rules },
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
  /** How the rules were last said to go. */
  const rulesGo = () => reports.findLast(([part]) => part === 'rules')?.[1].get(RULES_CLAIM);
  return { scoring, lines, reports, rulesGo, metric, elsewhere };
}

it('Scoring says that a thread hangs, ends it, and starts another', async () => {
  const { scoring, lines, rulesGo, metric } = await scoringThat('hangs');
  scoring.begin();
  await untilPasses(() => expect(lines.join('\n')).toContain('scoring has stopped responding'));
  expect(rulesGo()).toBe('fails');
  await untilPasses(() => expect(scoring.state().restarts).toBeGreaterThan(1));
  expect(lines.join('\n')).toContain('scoring hangs; ending it');
  expect(lines.join('\n')).toContain('scoring failed; restarting it');
  await untilPasses(async () =>
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']),
  );
  const [restarts] = await metric('fathom_scoring_restarts_total');
  expect(Number(restarts?.split(' ')[1])).toBeGreaterThan(1);
});

it('Scoring says that scoring does not respond for as long as it does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-scoring-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'go on');
  const { scoring, lines, rulesGo } = await scoringThat(`pauses until ${file}`, NEVER);
  scoring.begin();
  // It may seem silent even before it has started.
  await untilPasses(() => expect(lines.join('\n')).toContain('scoring has stopped responding'));
  await untilPasses(() => {
    expect(scoring.state().rules?.ok).toBe(false);
    expect(scoring.state().rules?.detail).toContain('stopped responding');
    expect(scoring.state().isUnscored).toBe(true);
    expect(rulesGo()).toBe('fails');
  });
  writeFileSync(file, '');
  await untilPasses(() => expect(lines.join('\n')).toContain('scoring responds again'));
  // On a busy machine it may seem silent once more.
  await untilPasses(() => {
    expect(scoring.state().rules).toEqual({ ok: true, detail: 'well' });
    expect(rulesGo()).toBe('works');
  });
  expect(scoring.state().restarts).toBe(0);
});

it.each(['dies at once', 'ends at once'])(
  'Scoring shows its figures from the start, also if the thread %s',
  async (path) => {
    const { scoring, rulesGo, metric } = await scoringThat(path);
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']);
    expect(await metric('fathom_scoring_restarts_total')).toEqual([
      'fathom_scoring_restarts_total 0',
    ]);
    expect(scoring.state().rules).toEqual({ ok: true, detail: 'starting' });
    scoring.begin();
    await untilPasses(() => expect(scoring.state().restarts).toBeGreaterThan(1));
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']);
    expect(scoring.state().rules).toMatchObject({ ok: false });
    expect(rulesGo()).toBe('fails');
  },
);

it('Scoring says if only another replica knows that evidence goes unscored', async () => {
  const { scoring, metric, elsewhere } = await scoringThat('stands by', NEVER);
  scoring.begin();
  const well = { ok: true, detail: 'well' };
  await untilPasses(() => expect(scoring.state().rules).toEqual(well));
  elsewhere.rules = 'fails';
  await untilPasses(() =>
    expect(scoring.state()).toMatchObject({
      rules: { ok: false, detail: expect.stringMatching(/^well; another replica can't score/) },
      isUnscored: true,
    }),
  );
  expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 0']);
  elsewhere.rules = 'works';
  await untilPasses(() =>
    expect(scoring.state()).toMatchObject({ rules: well, isUnscored: false }),
  );
});

it('Scoring is what counts while it scores, whatever other replicas can’t do', async () => {
  // It pauses for nothing, and reports again and again: on a busy machine it may seem silent.
  const { scoring, metric, elsewhere, rulesGo } = await scoringThat(
    `pauses until ${tmpdir()}`,
    NEVER,
  );
  scoring.begin();
  await untilPasses(() => expect(rulesGo()).toBe('works'));
  elsewhere.rules = 'fails';
  await untilPasses(() => expect(scoring.state().rules).toEqual({ ok: true, detail: 'well' }));
  await untilPasses(async () =>
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 1']),
  );
});

it('Scoring says that it fails here alone while another replica scores', async () => {
  // Twice as much each time, until it has begun.
  const patient = { first: 200, most: 60_000 };
  const { scoring, reports, metric, elsewhere } = await scoringThat('reads and hangs', patient);
  scoring.begin();
  // What it has read isn't read by it any more.
  await untilPasses(() => {
    const said = reports.flatMap(([part, healths]) => (part === 'sources' ? [...healths] : []));
    expect(said.slice(0, 2)).toEqual([
      ['source eth', 'works'],
      ['source eth', 'fails'],
    ]);
  });
  elsewhere.rules = 'works';
  await untilPasses(() =>
    expect(scoring.state()).toMatchObject({
      rules: { ok: false, detail: expect.stringMatching(/fails here, but another replica/) },
      isUnscored: false,
    }),
  );
  await untilPasses(async () =>
    expect(await metric('fathom_rules_up')).toEqual(['fathom_rules_up 1']),
  );
});

it('Scoring has no figures of rules where there are none', async () => {
  const { scoring, metric } = await scoringThat(undefined);
  scoring.begin();
  expect(await metric('fathom_rules_up')).toEqual([]);
  expect(scoring.state().rules).toBeUndefined();
});

it('Scoring ends a thread that never takes the message to stop', async () => {
  const { scoring } = await scoringThat('computes', NEVER);
  scoring.begin();
  // A busy machine may make it look silent right after it has begun.
  await untilPasses(() =>
    expect(scoring.state().rules?.detail).toMatch(/^well$|stopped responding/),
  );
  await scoring.stop();
  expect(scoring.state().restarts).toBe(0);
});

it('Scoring beats while it computes what may take long', () => {
  const counter = new SharedArrayBuffer(4);
  countHeartbeatsIn(counter);
  const beats = new Int32Array(counter);
  const beaten = () => Atomics.exchange(beats, 0, 0);
  const { rules } = validRules(rulesText([workshop, workshop.replace('workshop', 'other')]));
  const evaluation = new Evaluation(rules, (text) => hash('sha256', text));
  beaten();
  evaluation.score({ number: 1, wallet: ETH_A, events: [] }, TODAY);
  expect(beaten()).toBe(2);
  runSteps(addressListSteps(`${ETH_A.address}\n`.repeat(50), createWalletParser(chains)));
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

it('Scoring measures silence by the time that its watcher has lived through', () => {
  let now = 1_000;
  const watchdog = new Watchdog(() => now);
  const beats = new Int32Array(watchdog.counter);
  const look = (passed: number) => {
    now += passed;
    return watchdog.check();
  };
  expect(look(1_000)).toBe(1_000);
  expect(look(1_000)).toBe(2_000);
  // The machine slept, or nobody had the processor.
  expect(look(3_600_000)).toBe(4_000);
  Atomics.add(beats, 0, 1);
  expect(look(3_600_000)).toBe(0);
  expect(look(500)).toBe(500);
});
