import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';
import {
  AS_SHARK,
  AS_SHRIMP,
  AS_TITAN,
  AS_WHALE,
  buildLadder,
  rolesOf,
  SHARK,
  TITAN,
  WHALE,
} from '../support/ladder-community.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, killSteps } from '../support/random.ts';

/* A ladder: of the roles that rules give for a tier alone, members have the highest. */

const EN = textsFor('en');
/** More calls than a sweep of one member makes. */
const MOST_CALLS = 200;

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity();
  await buildLadder(guild);
});

const roles = (account: string) => rolesOf(guild, account);
const changes = () => guild.adapter.calls.filter((call) => /^(give|take)/.test(call));
const counted = async () =>
  (await guild.store.gating.takenSince(guild.community, 0)).map(({ account }) => account);
const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('who rises', () => {
  beforeEach(async () => {
    await guild.member(1, AS_SHARK);
    await guild.pass();
    expect(roles('1')).toEqual([SHARK]);
    guild.adapter.calls.length = 0;
    guild.score(1, AS_TITAN);
  });

  it('gets the highest role, and then loses the lower one in the same run', async () => {
    await guild.pass();
    expect(changes()).toEqual([`give 1 ${TITAN}`, `take 1 ${SHARK}`]);
    expect(await counted()).toEqual([]);
    await guild.hours(2);
    expect(changes()).toHaveLength(2);
  });

  it('gets and loses them by a check of the member too', async () => {
    await guild.gated.gating.check(guild.community, '1');
    expect(roles('1')).toEqual([TITAN]);
  });

  it('keeps the lower role as long as the higher one is refused', async () => {
    guild.adapter.before = (call) => (call === `give 1 ${TITAN}` ? 'no-role' : undefined);
    await guild.pass();
    expect(roles('1')).toEqual([SHARK]);
    // The role is gone: the next one is the highest.
    guild.adapter.before = () => undefined;
    await guild.gated.gating.sweep(guild.community);
    expect(roles('1')).toEqual([WHALE]);
  });

  it('keeps the lower role beside the higher one once that is refused to somebody else', async () => {
    await guild.gated.gating.setLadder(guild.community, false, MODERATOR);
    guild.score(1, AS_SHARK);
    await guild.member(2, AS_TITAN);
    await guild.pass();
    await guild.gated.gating.setLadder(guild.community, true, MODERATOR);
    guild.score(1, AS_TITAN);
    guild.adapter.before = (call) => (call === `give 1 ${TITAN}` ? 'not-allowed' : undefined);
    await guild.pass();
    expect([roles('1'), roles('2')]).toEqual([[SHARK], [TITAN, WHALE, SHARK]]);
    // Its rule is paused by now, so of those that work the next one is the highest.
    await guild.hours(2);
    expect([roles('1'), roles('2')]).toEqual([[WHALE], [TITAN, WHALE]]);
  });

  it('has both if the answer was lost, and the higher one alone afterwards', async () => {
    let lost = 0;
    guild.adapter.before = (call) => {
      if (call !== `give 1 ${TITAN}` || lost > 1) return undefined;
      lost += 1;
      guild.adapter.roles.get('1')?.add(TITAN);
      throw new RetryableError('502');
    };
    await guild.pass();
    expect(roles('1')).toEqual([TITAN]);
  });

  it('keeps the lower role that somebody else gave', async () => {
    guild.adapter.roles.get('1')?.delete(SHARK);
    await guild.gated.gating.why(guild.community, '1');
    guild.adapter.roles.get('1')?.add(SHARK);
    await guild.pass();
    expect(roles('1')).toEqual([TITAN, SHARK]);
    await guild.hours(2);
    expect(roles('1')).toEqual([TITAN, SHARK]);
  });

  it('stays barred from the lower role that somebody took meanwhile', async () => {
    guild.adapter.roles.get('1')?.delete(SHARK);
    await guild.pass();
    expect(roles('1')).toEqual([TITAN]);
    const [bar] = await guild.store.gating.barsOf(guild.community, ['1']);
    expect(bar?.grant).toBe(SHARK);
    guild.score(1, AS_SHARK);
    await guild.hours(2);
    expect(roles('1')).toEqual([]);
  });

  it('loses what an undo takes, though the lower role that somebody took is not back', async () => {
    guild.adapter.roles.get('1')?.delete(SHARK);
    await guild.pass();
    await guild.gated.gating.barring.unbar(guild.community, '1', SHARK, MODERATOR);
    await guild.gated.gating.undo(guild.community, MODERATOR);
    expect(roles('1')).toEqual([]);
  });

  it('keeps the lower role while protected', async () => {
    await guild.gated.gating.protect(guild.community, '1', true, MODERATOR);
    await guild.hours(2);
    expect(roles('1')).toEqual([TITAN, SHARK]);
  });

  it('gets the highest role they are not barred from', async () => {
    await guild.gated.gating.barring.bar(guild.community, '1', TITAN, MODERATOR);
    await guild.pass();
    expect(roles('1')).toEqual([WHALE]);
  });

  it('has what they had once it is undone', async () => {
    await guild.pass();
    guild.adapter.calls.length = 0;
    await guild.gated.gating.undo(guild.community, MODERATOR);
    expect(changes()).toEqual([`give 1 ${SHARK}`, `take 1 ${TITAN}`]);
  });

  it('gets no role in between once it is undone, nor does a newcomer', async () => {
    await guild.member(2, AS_TITAN);
    await guild.pass();
    await guild.gated.gating.undo(guild.community, MODERATOR);
    await guild.hours(2);
    expect([roles('1'), roles('2')]).toEqual([[SHARK], []]);
  });

  it('never has neither while an undo is refused, and it can be undone again', async () => {
    await guild.pass();
    guild.adapter.before = (call) => (call === `give 1 ${SHARK}` ? 'not-allowed' : undefined);
    await guild.gated.gating.undo(guild.community, MODERATOR);
    expect(roles('1')).toEqual([TITAN]);
    guild.adapter.before = () => undefined;
    const [run] = (await guild.gated.gating.runsOf(guild.community, 9)).filter(
      ({ cause }) => cause === 'sweep',
    );
    await guild.gated.gating.undo(guild.community, MODERATOR, run?.id);
    expect(roles('1')).toEqual([SHARK]);
  });

  it('always has one of the two, wherever the process is killed', async () => {
    for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
      guild = new GatedCommunity();
      await buildLadder(guild);
      await guild.member(1, AS_SHARK);
      await guild.pass();
      guild.score(1, AS_TITAN);
      const life = new Life(killedAt - 1, killedAt % 2 === 0);
      const { gating } = guild.open({
        store: life.of(guild.store.gating),
        adapterOf: () => life.of(guild.adapter),
      });
      let isOver = false;
      const done = () => {
        isOver = true;
      };
      void gating.sweep(guild.community).then(done, done);
      await expect.poll(() => isOver || life.isOver, { interval: 1 }).toBe(true);
      const wasKilled = life.isOver;
      expect(roles('1').length, `killed in call ${killedAt}`).toBeGreaterThan(0);
      guild.gated = guild.open();
      await guild.gated.watch.begin();
      await guild.gated.watch.poll();
      await guild.pass();
      expect(roles('1'), `killed in call ${killedAt}`).toEqual([TITAN]);
      await guild.store.close();
      if (wasKilled) continue;
      expect(killedAt).toBeGreaterThan(20);
      return;
    }
  });
});

describe('who falls', () => {
  beforeEach(async () => {
    await guild.member(1, AS_TITAN);
    await guild.pass();
    expect(roles('1')).toEqual([TITAN]);
    guild.adapter.calls.length = 0;
    guild.score(1, AS_SHARK);
  });

  it('keeps the higher role alone by the rules of doubt, and gets the lower one before', async () => {
    await guild.hours(1);
    expect(roles('1')).toEqual([TITAN]);
    await guild.hours(1);
    expect(changes()).toEqual([`give 1 ${SHARK}`, `take 1 ${TITAN}`]);
    expect(await counted()).toEqual(['1']);
  });

  it('keeps the higher role as long as the lower one is refused', async () => {
    guild.adapter.before = (call) => (call === `give 1 ${SHARK}` ? 'refused 123' : undefined);
    await guild.hours(2);
    expect(roles('1')).toEqual([TITAN]);
  });

  it('loses it without another one if they qualify for none', async () => {
    guild.score(1, AS_SHRIMP);
    await guild.hours(2);
    expect(roles('1')).toEqual([]);
  });

  it('keeps the higher role until they have the lower one, for which they qualify when a moderator confirms', async () => {
    guild.score(1, AS_TITAN);
    for (const id of ids(8).slice(1)) await guild.member(id, AS_TITAN);
    await guild.pass();
    for (const id of ids(8)) guild.score(id, AS_SHRIMP);
    await guild.hours(2);
    const [held] = await guild.gated.gating.heldRuns(guild.community);
    guild.score(1, AS_SHARK);
    await guild.gated.gating.confirm(guild.community, held?.id ?? '', MODERATOR);
    expect(guild.adapter.holders(TITAN)).toEqual(['1']);
    await guild.hours(2);
    expect(roles('1')).toEqual([SHARK]);
  });

  it('waits together with what replaces it while the brake asks', async () => {
    guild.score(1, AS_TITAN);
    for (const id of ids(8).slice(1)) await guild.member(id, AS_TITAN);
    await guild.pass();
    guild.adapter.calls.length = 0;
    for (const id of ids(8)) guild.score(id, AS_SHARK);
    await guild.hours(2);
    expect(changes()).toEqual([]);
    const [held] = await guild.gated.gating.heldRuns(guild.community);
    await guild.gated.gating.confirm(guild.community, held?.id ?? '', MODERATOR);
    for (const id of ids(8)) expect(roles(String(id))).toEqual([SHARK]);
  });

  it('is told so by /access and /gate why while the brake asks, without a day that is over', async () => {
    guild.score(1, AS_TITAN);
    for (const id of ids(8).slice(1)) await guild.member(id, AS_TITAN);
    await guild.pass();
    for (const id of ids(8)) guild.score(id, AS_SHARK);
    await guild.hours(2);
    const say = async (command: string, args: Record<string, string>) => {
      const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
      const caller = { platform: 'discord', id: '1', community: guild.community.id } as const;
      const isModerator = () => true;
      return await answerer.answer({ call: { command, args }, caller, locale: 'en', isModerator });
    };
    const access = cardText(await say('access', {}));
    expect(access).toContain(EN.access.losingNow);
    expect(access).not.toContain(EN.access.losing);
    const why = await say('gate', { action: 'why', member: '1' });
    expect(cardText(why)).toContain(EN.gate.heldNow('8'));
    expect(why.actions[0]).toMatchObject([{ call: { args: { action: 'confirm' } } }]);
  });

  it('has what they had once it is undone', async () => {
    await guild.hours(2);
    guild.adapter.calls.length = 0;
    await guild.gated.gating.undo(guild.community, MODERATOR);
    expect(changes()).toEqual([`give 1 ${TITAN}`, `take 1 ${SHARK}`]);
  });
});

describe('many at once', () => {
  const count = 300 * EFFORT;

  it('rise in one run without a question, in at most 2.2 calls each', async () => {
    guild.adapter.lists = true;
    for (const id of ids(count)) await guild.member(id, AS_SHARK);
    await guild.pass();
    guild.adapter.calls.length = 0;
    for (const id of ids(count)) guild.score(id, AS_WHALE);
    await guild.pass();
    expect(guild.adapter.holders(WHALE)).toHaveLength(count);
    expect(guild.adapter.holders(SHARK)).toEqual([]);
    expect(guild.adapter.calls.length).toBeLessThanOrEqual(2.2 * count);
    expect(await guild.gated.gating.heldRuns(guild.community)).toEqual([]);
  });

  it('rise although their list grows old during the run', async () => {
    guild.adapter.lists = true;
    for (const id of ids(count)) await guild.member(id, AS_SHARK);
    await guild.pass();
    guild.adapter.calls.length = 0;
    for (const id of ids(count)) guild.score(id, AS_WHALE);
    // As often as with fewer members, whose list has fewer pages.
    guild.adapter.before = () => {
      if (guild.adapter.calls.length % EFFORT === 0) guild.now += 2;
      return undefined;
    };
    await guild.pass();
    expect(guild.adapter.holders(SHARK)).toEqual([]);
    expect(guild.adapter.calls.length).toBeLessThanOrEqual(2.2 * count);
  });
});

it('A ladder of roles stands aside for roles that another rule gives too', async () => {
  await guild.rule({ grant: SHARK, requirements: [{ kind: 'score', least: 9_000 }] });
  await guild.member(1, AS_TITAN);
  await guild.pass();
  expect(roles('1')).toEqual([TITAN, SHARK]);
});

it('A ladder of roles gives all roles again once it is off', async () => {
  await guild.member(1, AS_TITAN);
  await guild.pass();
  await guild.gated.gating.setLadder(guild.community, false, MODERATOR);
  await guild.pass();
  expect(roles('1')).toEqual([TITAN, WHALE, SHARK]);
});

it('A ladder of roles is turned on and off, and said in the list, the preview, the log and to a moderator who asks why', async () => {
  await guild.gated.gating.setLadder(guild.community, false, MODERATOR);
  await guild.member(1, AS_TITAN);
  await guild.pass();
  const say = async (args: Record<string, string>, locale = 'en') => {
    const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
    const caller = { platform: 'discord', id: '1', community: guild.community.id } as const;
    const call = { command: 'gate', args };
    return cardText(await answerer.answer({ call, caller, locale, isModerator: () => true }));
  };
  expect(await say({ action: 'ladder' })).toContain(EN.gate.ladderOff);
  expect(await say({ action: 'ladder', switch: 'on' }, 'es')).toContain(
    textsFor('es').gate.ladderOn,
  );
  expect(await say({ action: 'list' })).toContain(EN.gate.ladderOn);
  expect(await say({ action: 'preview' })).toContain(`${EN.gate.replaced}: 1`);
  expect(await say({ action: 'why', member: '1' })).toContain(EN.gate.isPassed);
  await guild.pass();
  expect(roles('1')).toEqual([TITAN]);
  const log = await say({ action: 'log' });
  expect(log).toContain(EN.gate.risen('Whales'));
  expect(log).toContain(EN.gate.events['ladder-on']);
});

it('A member who keeps a higher role of a ladder for now is promised the lower one before it goes, not with the next run', async () => {
  await guild.member(1, AS_TITAN);
  await guild.pass();
  guild.score(1, 6_000);
  await guild.pass();
  expect(roles('1')).toEqual([TITAN]);
  const say = async (command: string, args: Record<string, string>) => {
    const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
    const caller = { platform: 'discord', id: '1', community: guild.community.id } as const;
    const isModerator = () => true;
    return await answerer.answer({ call: { command, args }, caller, locale: 'en', isModerator });
  };
  const access = cardText(await say('access', {}));
  expect(access).toContain(EN.access.later);
  expect(access).not.toContain(EN.access.next);
  expect(cardText(await say('gate', { action: 'why', member: '1' }))).toContain(EN.gate.isLater);
  // So it is once the higher one is due, however long a moderator takes to confirm that.
  await guild.hours(0.5);
  guild.now += 1_800;
  expect(roles('1')).toEqual([TITAN]);
  const due = cardText(await say('access', {}));
  expect(due).toContain(EN.access.later);
  expect(due).not.toContain(EN.access.next);
});
