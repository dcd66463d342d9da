import { expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { soleReplica } from '#cluster/memory-work';
import { worksNotice } from '#cluster/notices';
import type { Replica } from '#cluster/replica';
import { RULES_CLAIM } from '#scoring/rules-file/live-rules';
import { untilPasses } from '../../support/eventually.ts';
import { followedRules } from '../../support/followed-rules.ts';
import { batchOf, ETH_A, ETH_B, eventOf, writeTo } from '../../support/ledger.ts';
import { silentLog } from '../../support/log.ts';
import { rulesText } from '../../support/scoring.ts';

const workshop =
  '{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}';

it('The service says that evidence goes unscored if all replicas fail in turns', async () => {
  const { store, start, write, add, score } = await followedRules();
  write(rulesText([workshop]));
  let ahead = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  onTestFinished(() => void vi.restoreAllMocks());
  const own = soleReplica(silentLog);
  await own.begin();
  // Who has the claim at each check.
  let holder: 'this' | 'other' = 'this';
  let looks = 0;
  const during: Replica['during'] = async (claim, work) => {
    looks += 1;
    return holder === 'this' ? await own.during(claim, work) : undefined;
  };
  const heard = new Set<string>();
  const peersAnnounce = (notice: string) => heard.has(notice);
  const rules = start(undefined, { replica: { during, peersAnnounce }, failingMs: 1_000_000 });
  await untilPasses(() => expect(rules.status()?.detail).toBe('test version 1'));
  const arrivals = vi.spyOn(store.scoring, 'arrivals').mockImplementation(() => {
    throw new RetryableError('The database is away.');
  });
  const fails = async () => {
    const before = arrivals.mock.calls.length;
    await untilPasses(() => expect(arrivals.mock.calls.length).toBeGreaterThan(before + 1));
  };
  const standsBy = async () => {
    holder = 'other';
    looks = 0;
    await untilPasses(() => expect(looks).toBeGreaterThan(2));
  };
  await fails();
  // However long another replica's attempt takes.
  await standsBy();
  ahead += 1_000_001;
  await standsBy();
  expect(rules.isUnscored).toBe(false);
  holder = 'this';
  await fails();
  await untilPasses(() => expect(rules.isUnscored).toBe(true));

  // Another replica that says that it scores is fine.
  await standsBy();
  expect(rules.isUnscored).toBe(true);
  heard.add(worksNotice(RULES_CLAIM));
  await untilPasses(() => expect(rules.isUnscored).toBe(false));
  arrivals.mockRestore();
  holder = 'this';
  await add('w1');
  await untilPasses(async () => expect(await score()).toBe(25));
  await rules.stop();
  await own.stop();
});

it('The service scores for a moment while much is being read, and everything once that is over', async () => {
  const { start, write, store, score } = await followedRules();
  const wallets = [ETH_A, ETH_B];
  write(rulesText([workshop]));
  const [isReading, commits] = [{ now: true }, { count: 0 }];
  const rules = start(undefined, {
    ...{ isReading: () => isReading.now, runSteps: 1 },
    store: {
      ...store.scoring,
      // Scoring a wallet takes longer than there is time for.
      async write(...args: Parameters<typeof store.scoring.write>) {
        if (args[1].length > 0) {
          commits.count += 1;
          await new Promise((resolve) => setTimeout(resolve, 1_500));
        }
        return store.scoring.write(...args);
      },
    },
  });
  await untilPasses(() => expect(rules.status()?.detail).toBe('test version 1'));
  await writeTo(store, batchOf({ events: wallets.map((wallet) => eventOf(wallet, 'w1')) }));
  await untilPasses(() => expect(commits.count).toBe(1));
  // Long enough for the second one, unless it's left for later.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(commits.count).toBe(1);
  isReading.now = false;
  await untilPasses(async () => expect(await score()).toBe(25));
  await untilPasses(() => expect(commits.count).toBe(2));
  await rules.stop();
});
