import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { CommunityGating } from '#app/members/gating';
import { Replica } from '#cluster/replica';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { GatedCommunity, GUILD } from '../support/gated-community.ts';
import { silentLog } from '../support/log.ts';
import { Life } from '../support/mortal.ts';
import { patienceMs } from '../support/patience.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';

/* Processes that share one Postgres and its clock, but have their own timers. */

const MEMBERS = 40;
const ALL = Array.from({ length: MEMBERS }, (_, i) => String(i + 1));

let cluster: Cluster;
let url: string;
let guild: GatedCommunity;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function open(): Promise<Store> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  ends.push(() => store.close());
  return store;
}

async function openGuild(): Promise<void> {
  url = await createMigratedDatabase(cluster);
  guild = new GatedCommunity(GUILD, await open());
  await guild.rule();
  for (let id = 1; id <= MEMBERS; id++) await guild.member(id, 6_000);
}

/** A process that has been running for a while. */
async function processOf(id: string, life = new Life()): Promise<CommunityGating> {
  const store = await open();
  const replica = new Replica({ id, store: life.of(store.work), log: silentLog });
  await replica.begin();
  const gated = guild.open({
    replica,
    store: life.of(store.gating),
    adapterOf: () => life.of(guild.adapter),
  });
  // A killed one can't even stop.
  ends.push(async () => {
    if (life.isOver) void replica.stop();
    else {
      await gated.stop();
      await replica.stop();
    }
  });
  return gated;
}

/**
 * Runs passes until something happens in the middle of one: if a busy machine ends a pass before that, it's
 * repeated.
 */
async function passUntil(happened: Promise<void>, all: readonly CommunityGating[]): Promise<void> {
  let hasHappened = false;
  const noted = happened.then(() => {
    hasHappened = true;
  });
  await expect
    .poll(async () => {
      const passes = all.map(({ gating }) => gating.sweep(GUILD));
      // One that is killed in the middle of it never ends.
      await Promise.race([noted, Promise.allSettled(passes)]);
      return hasHappened;
    })
    .toBe(true);
}

const gives = () => guild.adapter.calls.filter((call) => call.startsWith('give '));
const given = async () => (await guild.audit()).filter((row) => row.startsWith('given '));

it('another process finishes what a killed one has begun', async () => {
  await openGuild();
  const other = await processOf('b');
  other.begin();
  const life = new Life();
  const killed = await processOf('a', life);
  const ended = Promise.withResolvers<void>();
  guild.adapter.before = (call) => {
    if (call.startsWith('give 17')) {
      life.end();
      ended.resolve();
    }
    return undefined;
  };
  await passUntil(ended.promise, [killed]);
  await expect
    .poll(() => guild.store.gating.openRuns(), { timeout: patienceMs(90_000), interval: 200 })
    .toEqual([]);
  expect(guild.holders()).toEqual(ALL);
  expect(gives()).toHaveLength(MEMBERS);
  expect((await given()).length).toBe(MEMBERS);
  const grants = await guild.store.gating.grantsOf(GUILD, ALL);
  expect(grants.every(({ ownership }) => ownership === 'ours')).toBe(true);
});

it("a database that freezes during a pass doesn't change its outcome", async () => {
  await openGuild();
  const all = [await processOf('a'), await processOf('b')];
  for (const each of all) each.begin();
  const frozen = Promise.withResolvers<void>();
  let isFrozen = false;
  guild.adapter.before = (call) => {
    if (call.startsWith('give 17') && !isFrozen) {
      isFrozen = true;
      frozen.resolve();
      cluster.freeze();
      setTimeout(() => cluster.thaw(), 9_000);
    }
    return undefined;
  };
  await passUntil(frozen.promise, all);
  await expect
    .poll(() => guild.holders(), { timeout: patienceMs(90_000), interval: 500 })
    .toEqual(ALL);
  await expect.poll(async () => await guild.store.gating.openRuns(), { interval: 500 }).toEqual([]);
  expect(gives()).toHaveLength(MEMBERS);
  const grants = await guild.store.gating.grantsOf(GUILD, ALL);
  expect(grants.every(({ ownership }) => ownership === 'ours')).toBe(true);
});
