import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { type Card, noteCard } from '#command/cards/card';
import { en } from '#command/texts/en/index';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { gate } from '#commands/gating/gate';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, MODERATOR } from '../support/gated-community.ts';
import { GREETING, reportsOf, silence } from '../support/reports.ts';

/* What a run asks moderators before it removes much, and where. */

const EN = textsFor('en');
/** What those who may answer are told in private. */
const HELD = EN.gate.heldNotice('Whales');

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const held = async () => (await guild.store.gating.heldRuns(guild.community))[0];
const confirm = async () =>
  await guild.gated.gating.confirm(guild.community, (await held())?.id ?? '', MODERATOR);

/** Ten of twenty fall, so that a run asks before it removes anything. */
async function fall(): Promise<void> {
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= 20; id++) await guild.member(id, 6_000);
  await guild.pass();
  await guild.gated.gating.setLogChannel(guild.community, '55', GREETING, MODERATOR);
  for (let id = 1; id <= 10; id++) guild.score(id, 10);
  await guild.hours(1);
  guild.now += 1_800;
}

const hello = defineCommand({
  name: 'hello',
  letter: 'h',
  about: () => 'Says hello',
  private: true,
  options: [],
  run: () => noteCard('plain', 'Hello', 'you'),
});

/** What a moderator or member reads under the bot's next private answer. */
async function privately(
  id: string,
  isModerator: boolean | (() => boolean),
  community?: string,
): Promise<string> {
  const answerer = answererWith({ commands: [gate, hello], gating: guild.gated.gating });
  const { platform } = guild.community;
  const caller = { platform, id, community };
  const isList = isModerator === true && community !== undefined;
  const call = isList
    ? { command: 'gate', args: { action: 'list' } }
    : { command: 'hello', args: {} };
  const question = {
    call,
    caller,
    locale: 'en',
    isModerator: () => (typeof isModerator === 'boolean' ? isModerator : isModerator()),
  };
  return cardText(await answerer.answer(question as never));
}

describe('a question from the brake', () => {
  it("goes to Discord's channel for moderators if the configured one is gone", async () => {
    await fall();
    guild.adapter.closed.add('55');
    guild.adapter.places = [{ channel: '66', isPublic: false }];
    await guild.pass();
    expect(guild.adapter.reportedTo.at(-1)).toBe('66');
    expect(reportsOf(guild)[0]?.actions[0]?.[0]).toMatchObject({
      call: { args: { action: 'confirm' } },
    });
    expect(await confirm()).toMatchObject({ run: { counts: { taken: 10 } } });
  });

  it('names nobody where others can read it', async () => {
    await fall();
    await guild.gated.gating.setLogChannel(guild.community, undefined, GREETING, MODERATOR);
    guild.adapter.places = [{ channel: '77', isPublic: true }];
    await guild.pass();
    const [card] = reportsOf(guild);
    expect(cardText(card as Card)).toContain(EN.gate.heldBrief);
    expect(JSON.stringify(card)).not.toMatch(/"member"|confirm/);
    expect(card?.file).toBeUndefined();
  });

  it('is asked by the next process if one was killed before it could', async () => {
    await fall();
    guild.adapter.before = (call) => {
      if (call.startsWith('report')) throw new RetryableError('killed');
      return undefined;
    };
    await guild.pass();
    expect(reportsOf(guild)).toEqual([]);
    guild.adapter.before = () => undefined;
    await guild.restart();
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toHaveLength(1);
    await guild.restart();
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toHaveLength(1);
    expect(await confirm()).toMatchObject({ run: { counts: { taken: 10 } } });
  });

  it('is posted once although the response was lost', async () => {
    await fall();
    const { report } = guild.adapter;
    guild.adapter.report = async (...args) => {
      await report.apply(guild.adapter, args);
      throw new RetryableError('502');
    };
    await guild.pass();
    guild.adapter.report = report;
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toHaveLength(1);
    expect((await held())?.toldAt).toBe(guild.now);
  });

  it("comes with the next private answer to a rule's author if no channel accepts it", async () => {
    await fall();
    guild.adapter.closed.add('55');
    await guild.pass();
    expect(reportsOf(guild)).toEqual([]);
    expect(await privately('2', false, guild.community.id)).not.toContain('waiting');
    expect(await privately('1', false)).toContain(HELD);
    // Asked once.
    expect(await privately('1', false)).not.toContain(HELD);
    expect(await confirm()).toMatchObject({ run: { counts: { taken: 10 } } });
  });

  it("isn't answered for by an author of rules who is no moderator any more, or can't be asked about", async () => {
    await fall();
    guild.adapter.closed.add('55');
    await guild.pass();
    guild.adapter.formerModerators.add('1');
    expect(await privately('1', false)).not.toContain(HELD);
    expect(await privately('1', false, guild.community.id)).not.toContain(HELD);
    guild.adapter.formerModerators.clear();
    guild.adapter.before = (call) => {
      if (call.startsWith('moderates')) throw new RetryableError('away');
      return undefined;
    };
    expect(await privately('1', false)).not.toContain(HELD);
    expect((await held())?.toldAt).toBeUndefined();
    expect(await privately('3', true, guild.community.id)).toContain(HELD);
  });

  it("fails no other answer where the platform doesn't say who is a moderator", async () => {
    await fall();
    guild.adapter.closed.add('55');
    await guild.pass();
    const unknown = () => {
      throw new UserError('gate-bot-away', '');
    };
    const text = await privately('3', unknown, guild.community.id);
    expect(text).toBe(await privately('4', false, guild.community.id));
    expect((await held())?.toldAt).toBeUndefined();
  });

  it('comes with the next private answer to a moderator, and /gate list marks it', async () => {
    await fall();
    guild.adapter.closed.add('55');
    await guild.pass();
    const list = await privately('3', true, guild.community.id);
    expect(list).toContain(EN.gate.heldUntold);
    expect(list).toContain(HELD);
  });

  it('is posted to the channel again after an hour', async () => {
    await fall();
    guild.adapter.closed.add('55');
    await guild.pass();
    guild.adapter.closed.clear();
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toEqual([]);
    guild.now += 3_600;
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toHaveLength(1);
  });

  it("isn't asked while its rules are paused", async () => {
    await fall();
    guild.adapter.closed.add('55');
    await guild.pass();
    const { gating } = guild.gated;
    const [rule] = await gating.rulesOf(guild.community);
    await gating.pause(guild.community, rule?.id ?? '', MODERATOR);
    expect(await privately('1', false)).not.toContain(HELD);
    guild.adapter.closed.clear();
    guild.now += 3_600;
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toEqual([]);
    await gating.unpause(guild.community, rule?.id ?? '', MODERATOR);
    await guild.hours(2);
    expect(reportsOf(guild)).toHaveLength(1);
  });

  it('can be answered during a pass', async () => {
    await fall();
    await guild.pass();
    await guild.member(99, 6_000);
    let answer: ReturnType<typeof confirm> | undefined;
    guild.adapter.before = (call) => {
      if (call.startsWith('give 99')) answer = confirm();
      return undefined;
    };
    await guild.pass();
    expect(await answer).toMatchObject({ run: { counts: { taken: 10 } } });
  });

  it('is still open after many checks, and while the source is implausible', async () => {
    await fall();
    await guild.pass();
    for (let id = 100; id < 130; id++) {
      await guild.member(id, 6_000);
      await guild.gated.gating.check(guild.community, String(id));
    }
    await guild.hours(2);
    expect(reportsOf(guild).filter(({ tone }) => tone === 'warning')).toHaveLength(1);
    guild.source.isStale = true;
    guild.now += 70_000;
    await guild.pass();
    guild.source.isStale = false;
    expect(await confirm()).toMatchObject({ run: { counts: { taken: 10 } } });
  });

  it("can't be answered a day later, even without a run in between", async () => {
    await fall();
    await guild.pass();
    guild.now += 86_400;
    // Nor is it shown or sent anywhere.
    expect(await guild.gated.gating.heldRuns(guild.community)).toEqual([]);
    await expect(confirm()).rejects.toMatchObject({ code: 'gate-expired' });
    expect(guild.holders()).toHaveLength(20);
    // Not even after the clock is set back.
    guild.now -= 86_400;
    await expect(confirm()).rejects.toMatchObject({ code: 'gate-nothing' });
    expect(guild.holders()).toHaveLength(20);
  });

  it.each([60, 86_401])('ends when nobody is below the bar any more, %i s later', async (later) => {
    await fall();
    await guild.pass();
    for (let id = 1; id <= 10; id++) guild.score(id, 6_000);
    guild.now += later;
    await guild.pass();
    expect(await held()).toBeUndefined();
  });

  it("stays open while a member can't be judged, even if nobody else is below the bar", async () => {
    await fall();
    await guild.pass();
    for (let id = 1; id <= 10; id++) guild.score(id, 6_000);
    guild.source.isStale = true;
    await guild.pass();
    guild.source.isStale = false;
    expect(await held()).toBeDefined();
  });

  it("isn't in /gate list while its rules are paused", async () => {
    await fall();
    await guild.pass();
    const words = en.gate.heldNow('10');
    const list = async () => await privately('9', true, guild.community.id);
    expect(await list()).toContain(words);
    const [rule] = await guild.gated.gating.rulesOf(guild.community);
    await guild.gated.gating.pause(guild.community, rule?.id ?? '', MODERATOR);
    expect(await list()).not.toContain(en.gate.heldNow('0'));
    expect(await list()).not.toContain(words);
  });
});

it('A question about an implausible source goes elsewhere if the log channel is gone', async () => {
  await fall();
  guild.adapter.closed.add('55');
  guild.adapter.places = [{ channel: '66', isPublic: false }];
  for (const address of [...guild.source.scores.keys()].slice(1))
    guild.source.scores.delete(address);
  await guild.hours(2);
  expect(guild.adapter.reportedTo.filter((channel) => channel === '66')).toHaveLength(1);
  expect(reportsOf(guild).at(-1)?.actions).toMatchObject([
    [{ call: { args: { action: 'accept' } } }],
  ]);
});

it('A question in a Telegram group goes to authors of rules before other administrators', async () => {
  guild = new GatedCommunity(GROUP);
  const { rule } = await guild.gated.gating.add(
    GROUP,
    {
      grant: 'entry',
      requirements: [{ kind: 'tier', tier: 'Whale' }],
      match: 'all',
      chain: undefined,
      exclusive: true,
      graceSeconds: 0,
    },
    'telegram:31',
  );
  expect(rule).toBeDefined();
  for (let id = 1; id <= 10; id++) {
    await guild.member(id, 10);
    guild.adapter.join(String(id), 'entry');
    await guild.gated.gating.check(GROUP, String(id));
  }
  guild.adapter.places = ['30', '31'].map((channel) => ({ channel, isPublic: false }));
  await guild.hours(2);
  expect(guild.adapter.reportedTo).toEqual(['31']);
});

it('A question without a response waits for the channel, whoever uses the bot privately meanwhile', async () => {
  await fall();
  silence(guild);
  await guild.pass();
  const list = await privately('3', true, guild.community.id);
  expect(list).toContain(EN.gate.heldNow('10'));
  expect(list).not.toContain(EN.gate.heldUntold);
  expect(await privately('1', false)).not.toContain(HELD);
  guild.adapter.before = () => undefined;
  await guild.gated.watch.tick();
  await guild.gated.watch.tick();
  expect(reportsOf(guild)).toHaveLength(1);
  expect(reportsOf(guild)[0]?.actions[0]?.[0]).toMatchObject({
    call: { args: { action: 'confirm' } },
  });
});
