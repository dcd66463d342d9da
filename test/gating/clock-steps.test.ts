import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CommunityGating, CommunityGatingOptions } from '#app/members/gating';
import { DAY, DigestCommunity, MONDAY } from '../support/digest-community.ts';

/* What a clock that is set far ahead, and back again, must not do for good. */

const HOUR = 3_600;
const SHARK = 2_000;
const WHALE = 6_000;
/** The production clocks: those of this process. */
const OWN = { clock: undefined } as unknown as Partial<CommunityGatingOptions>;

let guild: DigestCommunity;
let gated: CommunityGating;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: (MONDAY - 3 * DAY) * 1000 });
  guild = new DigestCommunity();
  start();
});
afterEach(async () => {
  await gated.stop();
  vi.useRealTimers();
});

function start(changes: Partial<CommunityGatingOptions> = {}): void {
  gated = guild.process({ ...OWN, ...changes });
  guild.gated = gated;
}

async function minutes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    vi.advanceTimersByTime(60_000);
    await gated.announcements.round();
  }
}

/** Someone sets the clock; no time passes. */
const setClock = (seconds: number) => void vi.setSystemTime(seconds * 1000);

/** Lets the time go on to an hour before the next Monday's digest is due. */
async function nearMonday(): Promise<void> {
  vi.advanceTimersByTime(MONDAY * 1000 - Date.now() - HOUR * 1000);
  await minutes(59);
}

it.each([false, true])(
  'The digest of a Monday comes although a clock was set forth to it and back (restarted: %s)',
  async (isRestarted) => {
    await guild.riser(1, 300);
    await guild.turnOnWeekly();
    await minutes(70);
    const before = Date.now() / 1000;
    setClock(MONDAY + HOUR);
    if (isRestarted) {
      await gated.stop();
      start();
    }
    await minutes(50);
    expect(guild.texts).toEqual([]);
    setClock(before + 50 * 60);
    await nearMonday();
    expect(guild.texts).toEqual([]);
    await minutes(3);
    expect(guild.texts).toHaveLength(1);
    await minutes(60);
    expect(guild.texts).toHaveLength(1);
  },
);

it('The digest takes the date of a clock that shows it for more than an hour', async () => {
  await guild.riser(1, 300);
  await guild.turnOnWeekly();
  setClock(MONDAY + HOUR);
  await minutes(59);
  expect(guild.texts).toEqual([]);
  await minutes(3);
  expect(guild.texts).toHaveLength(1);
});

it('Who was announced and left is not announced again after a clock was a year ahead', async () => {
  await guild.member(1, SHARK);
  await guild.turnOn();
  guild.score(1, WHALE);
  await minutes(2);
  expect(guild.texts).toHaveLength(1);
  await guild.store.gating.forgetMember(guild.community, '1');
  const before = Date.now() / 1000;
  setClock(before + 365 * DAY);
  await gated.watch.tick();
  setClock(before);
  await guild.member(1, SHARK);
  await minutes(12);
  guild.score(1, WHALE);
  await minutes(12);
  expect(guild.texts).toHaveLength(1);
});

it('Requests to join are kept while a clock is a year ahead', async () => {
  const { gating } = guild.store;
  const askedAt = Date.now() / 1000;
  await gating.keepJoinRequest(guild.community, { account: '9', locale: undefined, askedAt }, 10);
  setClock(askedAt + 365 * DAY);
  await gated.watch.tick();
  expect(await gating.countApplicants(guild.community)).toBe(1);
});

it('Rises are told again soon after rules were switched by a clock a year ahead', async () => {
  await gated.stop();
  start({ revision: () => undefined });
  await guild.member(1, SHARK);
  await guild.turnOn();
  await minutes(10);
  const before = Date.now() / 1000;
  setClock(before + 365 * DAY);
  await minutes(10);
  guild.source.rulesVersion = '2';
  await minutes(10);
  setClock(before);
  await minutes(60);
  guild.score(1, WHALE);
  await minutes(20);
  expect(guild.texts).toHaveLength(1);
});
