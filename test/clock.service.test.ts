import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CommunityGatingOptions } from '#app/members/gating';
import type { LinkedRolesParts } from '#app/members/linked-roles';
import type { LinkingParts } from '#app/members/linking';
import { MonotonicDates, SteppedClock } from '#base/time/clock';
import { runIfDue } from '#cluster/claims';
import { soleReplica } from '#cluster/memory-work';
import type { ApiOptions } from '#http/api/server/server';
import { CLAIM_WAIT } from '#linking/rules';
import { user } from '../bench/servers/discord/world.ts';
import { testApi } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { NOW, WHALE } from './support/fixed-source.ts';
import { GatedCommunity, ROLE } from './support/gated-community.ts';
import { temporaryFolder } from './support/import-cli.ts';
import { walletOf } from './support/import-lines.ts';
import { rolesWorld } from './support/linked-roles.ts';
import { linkingWith, linkStore } from './support/linking.ts';
import { silentLog } from './support/log.ts';
import { ROOT } from './support/program.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** The production clocks: those of this process. */
const OWN = { clock: undefined } as unknown as Pick<
  CommunityGatingOptions & LinkingParts & LinkedRolesParts & ApiOptions,
  'clock'
>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets seconds pass. */
const pass = (seconds: number) => void vi.advanceTimersByTime(seconds * 1000);
/** Someone sets the clock; no time passes. */
const step = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000);

const BOTH_WAYS = [
  ['forward', DAY],
  ['back', -DAY],
] as const;

describe.each(BOTH_WAYS)('a clock set %s by a day', (_, by) => {
  it('stops no work, and makes none due early', async () => {
    const replica = soleReplica(silentLog);
    await replica.begin();
    onTestFinished(() => replica.stop());
    let rounds = 0;
    const tick = () =>
      runIfDue(replica, 'work', 60_000, async () => {
        rounds += 1;
      });
    await tick();
    step(by);
    await tick();
    expect(rounds).toBe(1);
    pass(61);
    await tick();
    expect(rounds).toBe(2);
  });

  it('stops no passes over gated communities', async () => {
    const world = new GatedCommunity();
    await world.gated.stop();
    world.gated = world.open(OWN);
    onTestFinished(() => world.gated.stop());
    await world.member(1, 6_000);
    await world.rule();
    await world.gated.watch.tick();
    expect(world.holders()).toEqual(['1']);
    step(by);
    await world.member(2, 6_000);
    pass(1_300);
    await world.gated.watch.tick();
    expect(world.holders()).toEqual(['1', '2']);
  });

  it('ends no limit, and prolongs none; its end is announced by the new clock', async () => {
    const api = await testApi({ ...OWN, limits: { public: 1, key: 1 } });
    const ask = () => api.get('/v1/stats/global');
    const before = await ask();
    expect(before.status).toBe(200);
    expect(before.headers.get('x-ratelimit-reset')).toBe(String(NOW + 60));
    step(by);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(NOW + by + 60));
    pass(60);
    expect((await ask()).status).toBe(200);
  });

  it('stops no upkeep of Linked Roles', async () => {
    const world = await rolesWorld({ changes: OWN });
    const vera = user('vera');
    await world.link(vera, WHALE, NOW - DAY);
    expect((await world.connect(vera)).status).toBe(200);
    world.roles.begin();
    await eventually(() => world.value('tier', vera) === '4');
    step(by);
    world.source.set(WHALE, { score: 9_999 });
    // The next check is due in ten minutes.
    pass(700);
    await eventually(() => world.value('score', vera) === '9999');
  });
});

describe("what must wait isn't removed early", () => {
  async function fallen() {
    const world = new GatedCommunity();
    await world.gated.stop();
    world.gated = world.open(OWN);
    onTestFinished(() => world.gated.stop());
    await world.member(1, 6_000);
    await world.rule({ graceSeconds: DAY });
    await world.pass();
    expect(world.holders()).toEqual(['1']);
    world.score(1, 10);
    return world;
  }
  async function readings(world: GatedCommunity, count: number) {
    for (let i = 0; i < count; i += 1) {
      pass(HOUR / 2);
      await world.pass();
    }
  }
  const warned = async (world: GatedCommunity) => (await world.audit()).includes('warned 1');

  it('a step between readings neither counts one twice nor turns a minute into an hour', async () => {
    const world = await fallen();
    await readings(world, 1);
    for (let i = 0; i < 5; i += 1) {
      step(DAY);
      pass(60);
      await world.pass();
    }
    expect(await warned(world)).toBe(false);
    await readings(world, 4);
    expect(await warned(world)).toBe(true);
  });

  it("readings from before the clock was set back don't count", async () => {
    const world = await fallen();
    await readings(world, 2);
    step(-DAY);
    await readings(world, 2);
    expect(await warned(world)).toBe(false);
    await readings(world, 2);
    expect(await warned(world)).toBe(true);
  });

  it.each([
    ['forward', DAY, 24],
    ['forward and back again', 0, 24],
    // It starts again by the right clock, once readings have confirmed it again.
    ['back', -DAY, 26],
  ])(
    'the grace period lasts as long as it should when the clock is set %s',
    async (_, by, hours) => {
      const world = await fallen();
      await readings(world, 4);
      expect(await warned(world)).toBe(true);
      step(DAY);
      await world.pass();
      step(by - DAY);
      await readings(world, (hours - 1) * 2);
      expect(world.holders()).toEqual(['1']);
      await readings(world, 3);
      expect(world.holders()).toEqual([]);
      expect(world.adapter.calls).toContain(`take 1 ${ROLE}`);
    },
  );

  it('removals of the last day still add up when the clock is set forward by three', async () => {
    const world = new GatedCommunity();
    await world.gated.stop();
    world.gated = world.open(OWN);
    onTestFinished(() => world.gated.stop());
    await world.rule({ graceSeconds: 0 });
    for (let id = 1; id <= 12; id++) await world.member(id, 6_000);
    await world.pass();
    for (let id = 1; id <= 5; id++) world.score(id, 10);
    await readings(world, 3);
    expect(world.holders()).toHaveLength(7);
    for (let id = 6; id <= 10; id++) world.score(id, 10);
    await readings(world, 1);
    step(3 * DAY);
    await readings(world, 4);
    expect(await world.gated.gating.heldRuns(world.community)).toHaveLength(1);
    expect(world.holders()).toHaveLength(7);
  });

  it('a claimed wallet moves after seven days, not seven dates', async () => {
    const store = linkStore();
    const linking = linkingWith({ store, ...OWN });
    const [alice, bob] = [
      { platform: 'discord', id: '1' },
      { platform: 'discord', id: '2' },
    ] as const;
    const wallet = walletOf(1);
    const proof = { wallet, by: 'key', network: 'x', evidence: undefined, text: '' } as const;
    const dates = { linkedAt: NOW, checkedAt: NOW, strikes: 0 };
    await store.change(wallet, alice, () => ({
      link: { account: alice, wallet, proof, ...dates },
      claim: { account: bob, wallet, proof, claimedAt: NOW, dueAt: NOW + CLAIM_WAIT },
      events: [],
    }));
    step(30 * DAY);
    expect(await linking.walletsOf(bob)).toEqual([]);
    pass(CLAIM_WAIT - 1);
    expect(await linking.walletsOf(bob)).toEqual([]);
    pass(1);
    expect(await linking.walletsOf(bob)).toEqual([wallet]);
    expect(await linking.walletsOf(alice)).toEqual([]);
  });
});

it('Links that were checked before the clock was set back are due', async () => {
  const store = linkStore();
  const account = { platform: 'discord', id: '1' } as const;
  const wallet = walletOf(1);
  const proof = { wallet, by: 'key', network: 'x', evidence: undefined, text: '' } as const;
  const link = { account, wallet, proof, linkedAt: NOW, checkedAt: NOW, strikes: 0 };
  await store.change(wallet, account, () => ({ link, events: [] }));
  expect(await store.linksToCheck(NOW - DAY, NOW, 9)).toEqual([]);
  expect(await store.linksToCheck(NOW - 2 * DAY, NOW - DAY, 9)).toEqual([link]);
});

it('the time between dates excludes steps forward in between', () => {
  const clock = new SteppedClock();
  const first = clock.now();
  pass(100);
  step(1_000);
  const second = clock.now();
  expect([second - first, clock.elapsed(first, second)]).toEqual([1_100, 100]);
  pass(50);
  expect(clock.elapsed(first, clock.now())).toBe(150);
  expect(clock.elapsed(second, clock.now())).toBe(50);
  step(-400);
  expect(clock.elapsed(first, clock.now())).toBe(150);
  step(-600);
  expect(clock.elapsed(first, clock.now())).toBe(150);
});

it('a time ago is as many seconds back as have passed', () => {
  const clock = new SteppedClock();
  const first = clock.now();
  pass(100);
  step(1_000);
  pass(50);
  expect(clock.ago(150)).toBe(first);
  expect(clock.ago(20)).toBe(clock.now() - 20);
  step(2_000);
  pass(10);
  expect(clock.ago(160)).toBe(first);
  step(-3_000);
  expect(clock.ago(160)).toBe(first);
});

it('a moment has one date until the clock is set', () => {
  const dating = new MonotonicDates(Date.now);
  const moment = performance.now() + 500;
  const date = dating.dateOf(moment, performance.now());
  step(0.4);
  expect(dating.dateOf(moment, performance.now())).toBe(date);
  step(-DAY);
  expect(dating.dateOf(moment, performance.now())).toBe(date - DAY * 1000 + 400);
});

it('the linter allows no settable clock for waiting', () => {
  const folder = temporaryFolder();
  // Its other rules read the whole project first.
  const { overrides } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  const config = {
    root: true,
    linter: { rules: { preset: 'none' } },
    overrides: overrides.filter(({ plugins }: { plugins?: string[] }) => plugins !== undefined),
  };
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  copyFileSync(join(ROOT, 'biome-clock.grit'), join(folder, 'biome-clock.grit'));
  const uses = ['Date.now()', 'Date.now', 'new Date()', 'performance.now()', 'new Date(0)'];
  const lines = uses.map((use, i) => `export const use${i} = ${use};\n`);
  mkdirSync(join(folder, 'src/base/time'), { recursive: true });
  for (const file of ['uses', 'time/clock']) {
    writeFileSync(join(folder, `src/base/${file}.ts`), lines.join(''));
  }
  const biome = join(ROOT, 'node_modules/.bin/biome');
  const { stdout, stderr } = spawnSync(biome, ['lint'], { cwd: folder, encoding: 'utf8' });
  const complaints = `${stdout}${stderr}`.match(/\w+\.ts:\d.*plugin/g) ?? [];
  const places = complaints.map((each) => /\w+\.ts:\d/.exec(each)?.[0]);
  expect(places).toEqual(['uses.ts:1', 'uses.ts:2', 'uses.ts:3']);
});
