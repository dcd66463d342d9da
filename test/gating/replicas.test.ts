import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CommunityGating } from '#app/members/gating';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';
import { silentLog } from '../support/log.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, SEED } from '../support/random.ts';

/* Several processes on one store, each with its own gating; any of them may be killed. */

let guild: GatedCommunity;
let work: MemoryWork;
const replicas: Replica[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
  open();
});
afterEach(async () => {
  await close();
  vi.useRealTimers();
});

function open(): void {
  guild = new GatedCommunity();
  work = new MemoryWork(Date.now);
}
async function close(): Promise<void> {
  // A killed one can't even stop.
  for (const each of replicas.splice(0)) void each.stop();
  await guild.store.close();
}

/** A process that has been running for a while. */
async function processOf(id: string, life = new Life()): Promise<CommunityGating> {
  const replica = new Replica({ id, store: life.of(work), log: silentLog });
  replicas.push(replica);
  await replica.begin();
  return guild.open({
    replica,
    store: life.of(guild.store.gating),
    adapterOf: () => life.of(guild.adapter),
  });
}

/** 60 holders of the role, three of whom are to lose it, and four others to get it. */
async function dueChanges(): Promise<void> {
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= 60; id++) await guild.member(id, 6_000);
  await guild.pass();
  for (let id = 1; id <= 3; id++) guild.score(id, 10);
  await guild.hours(1);
  for (let id = 101; id <= 104; id++) await guild.member(id, 9_000);
  guild.now += 1_800;
  guild.adapter.calls.length = 0;
}
const EXPECTED = new Set([
  ...Array.from({ length: 57 }, (_, i) => String(i + 4)),
  ...['101', '102', '103', '104'],
]);
const holders = () => new Set(guild.holders());
const calls = (verb: string) => guild.adapter.calls.filter((call) => call.startsWith(`${verb} `));
const rows = async (event: string) =>
  (await guild.audit()).filter((row) => row.startsWith(`${event} `));

it("only one of two replicas makes a pass that's due", async () => {
  await dueChanges();
  const all = [await processOf('a'), await processOf('b'), await processOf('c')];
  await Promise.all(all.map(({ watch }) => watch.tick()));
  expect(holders()).toEqual(EXPECTED);
  expect(calls('give')).toHaveLength(4);
  expect(calls('take')).toHaveLength(3);
  expect((await rows('given')).filter((row) => row.length > 'given 60'.length)).toHaveLength(4);
});

it("a moderator who starts a run during another process's run is told so", async () => {
  await dueChanges();
  const [a, b] = [await processOf('a'), await processOf('b')];
  const [first, second] = await Promise.all([
    a.gating.run(guild.community, MODERATOR),
    b.gating.run(guild.community, MODERATOR),
  ]);
  expect(first).toMatchObject({ run: { counts: { given: 4, taken: 3 } } });
  expect(second).toBeUndefined();
  expect(await b.gating.undo(guild.community, MODERATOR)).toMatchObject({
    run: { counts: { given: 3, taken: 4 } },
  });
});

it("another replica makes the next pass when it's due, and not before", async () => {
  await guild.rule();
  await guild.member(1, 6_000);
  const [a, b] = [await processOf('a'), await processOf('b')];
  await a.watch.tick();
  await guild.member(2, 6_000);
  const pass = async (seconds: number) => {
    guild.now += seconds;
    for (let at = 0; at < seconds; at += 2) await vi.advanceTimersByTimeAsync(2_000);
  };
  await pass(600);
  await b.watch.tick();
  expect(guild.holders()).toEqual(['1']);
  await pass(660);
  await b.watch.tick();
  expect(guild.holders()).toEqual(['1', '2']);
});

it('two replicas that check a member at once grant the role once', async () => {
  await guild.rule();
  const account = await guild.member(1, 6_000);
  const all = [await processOf('a'), await processOf('b'), await processOf('c')];
  await Promise.all(all.map(({ gating }) => gating.check(guild.community, account)));
  expect(calls('give')).toHaveLength(1);
  expect(await rows('given')).toHaveLength(1);
  const grants = await guild.store.gating.grantsOf(guild.community, [account]);
  expect(grants).toMatchObject([{ ownership: 'ours' }]);
});

it("a check during another process's pass grants the role once", async () => {
  await guild.rule();
  for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
  const [a, b] = [await processOf('a'), await processOf('b')];
  await Promise.all([
    a.gating.sweep(guild.community),
    ...[9, 10].map((id) => b.gating.check(guild.community, String(id))),
  ]);
  expect(calls('give')).toHaveLength(10);
  const grants = await guild.store.gating.grantsOf(guild.community, ['9', '10']);
  expect(grants).toMatchObject([{ ownership: 'ours' }, { ownership: 'ours' }]);
});

describe('a process killed', () => {
  /** Of its calls, each run tries others; every night all. */
  const STEP = EFFORT === 1 ? 12 : 1;
  const FIRST = 1 + (SEED % STEP);

  /** Gives another, running process some seconds. */
  async function goOn(other: CommunityGating, seconds: number): Promise<void> {
    for (let at = 0; at < seconds; at += 3) {
      await vi.advanceTimersByTimeAsync(3_000);
      await other.watch.poll();
    }
  }
  /** Begins something in a process that may never finish it. */
  async function untilKilled(life: Life, begun: Promise<unknown>): Promise<void> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    void begun.finally(end);
    onTestFinished(end);
    while (!life.isOver && !isDone) await yieldToEventLoop();
    // What it requested in its last moment may still happen.
    await vi.advanceTimersByTimeAsync(0);
    life.end();
  }

  it.each([
    ['before', false],
    ['after', true],
  ])(
    '%s any of its calls has all of its work finished by another within 15 seconds',
    async (_, isDone) => {
      for (let killedAt = FIRST; killedAt <= 120; killedAt += STEP) {
        const b = await processOf('b');
        await b.watch.tick();
        await dueChanges();
        const life = new Life(killedAt, isDone);
        const a = await processOf('a', life);
        await vi.advanceTimersByTimeAsync(8_000);
        await untilKilled(life, a.watch.tick());
        const when = `killed at call ${killedAt}`;
        await goOn(b, 15);
        // A community that isn't planned yet is found by the next tick.
        await b.watch.tick();
        expect(holders(), when).toEqual(EXPECTED);
        expect(calls('give').length, when).toBe(4);
        expect(await guild.store.gating.openRuns(), when).toEqual([]);
        for (const each of ['101', '102', '103', '104']) {
          const grants = await guild.store.gating.grantsOf(guild.community, [each]);
          expect(grants, when).toMatchObject([{ ownership: 'ours' }]);
        }
        await close();
        open();
      }
    },
  );

  it("isn't replaced before it counts as dead", async () => {
    await dueChanges();
    const b = await processOf('b');
    const life = new Life();
    const a = await processOf('a', life);
    await vi.advanceTimersByTimeAsync(8_000);
    guild.adapter.before = (call) => {
      if (call === 'give 103 900') life.end();
      return undefined;
    };
    await untilKilled(life, a.watch.tick());
    await goOn(b, 3);
    expect(await guild.store.gating.openRuns()).toHaveLength(1);
    expect(calls('give')).toHaveLength(3);
    expect(await b.gating.run(guild.community, MODERATOR)).toBeUndefined();
    await goOn(b, 12);
    expect(await guild.store.gating.openRuns()).toEqual([]);
    expect(holders()).toEqual(EXPECTED);
  });

  it("while checking a member leaves the rule's role to the rule", async () => {
    await guild.rule();
    const account = await guild.member(1, 6_000);
    const life = new Life();
    const a = await processOf('a', life);
    const b = await processOf('b');
    await vi.advanceTimersByTimeAsync(8_000);
    guild.adapter.before = (call) => {
      if (call.startsWith('give')) life.end();
      return undefined;
    };
    await untilKilled(life, a.gating.check(guild.community, account));
    expect(guild.holders()).toEqual(['1']);
    await vi.advanceTimersByTimeAsync(15_000);
    guild.now += 1_800;
    guild.adapter.lists = true;
    await b.watch.tick();
    const grants = await guild.store.gating.grantsOf(guild.community, [account]);
    expect(grants).toMatchObject([{ ownership: 'ours' }]);
  });
});
