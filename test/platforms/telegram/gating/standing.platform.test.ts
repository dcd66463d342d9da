import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { ADMIN, LEFT, MEMBER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { BOT } from '../../../../bench/servers/telegram/world.ts';
import { GatedGroup, plain } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { gate } = textsFor('en');
const NO_INVITE: Seat = { ...ADMIN, can_invite_users: false };
const NO_BAN: Seat = { ...ADMIN, can_restrict_members: false };

describe('a bot that lost a permission', () => {
  it.each<[string, Seat, string[]]>([
    ['to invite', NO_INVITE, [gate.blockers['no-invite-right']]],
    ['to ban', NO_BAN, [gate.blockers['no-ban-right']]],
    ['of every kind', MEMBER, [gate.blockers['no-invite-right'], gate.blockers['no-ban-right']]],
  ])('%s says so once where reports go, and whenever moderators look', async (_, seat, words) => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    await group.say('/gate channel');
    // In the private chat, the answer is all that is said.
    const before = 1;
    await group.hears(() => telegram().places(BOT, group.group, seat));
    const reports = group.told(group.owner).slice(before);
    expect(reports).toHaveLength(1);
    for (const each of words) expect(plain(reports[0])).toContain(each);
    await group.hours(2);
    expect(group.told(group.owner)).toHaveLength(before + 1);
    for (const text of ['/gate list', '/gate run']) {
      const answer = plain(await group.say(text));
      for (const each of words) expect(answer, text).toContain(each);
    }
  });

  it("resumes with those waiting when it's restored", async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    await group.hears(() => telegram().places(BOT, group.group, NO_INVITE));
    const whale = await group.person(6_000);
    await group.asks(whale);
    expect(group.isIn(whale)).toBe(false);
    expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinPaused)]);
    await group.hears(() => telegram().places(BOT, group.group, ADMIN));
    expect(group.isIn(whale)).toBe(true);
    expect(await group.say('/gate list')).not.toContain('⏸');
  });

  it('resumes with those waiting even if nobody reported the loss or its end', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    telegram().world.seats.put(group.group.id, BOT.id, NO_INVITE);
    const whale = await group.person(6_000);
    await group.asks(whale);
    expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinRefused)]);
    telegram().world.seats.put(group.group.id, BOT.id, ADMIN);
    group.world.now += 1_200;
    await group.pass();
    expect(group.isIn(whale)).toBe(true);
  });

  it('leaves paused what a moderator has paused', async () => {
    const group = new GatedGroup(telegram(), start);
    const { id } = await group.rule();
    await group.world.gated.gating.pause(group.community, id, 'telegram:1');
    for (const seat of [LEFT, ADMIN]) {
      await group.hears(() => telegram().places(BOT, group.group, seat));
    }
    const [rule] = await group.world.gated.gating.rulesOf(group.community);
    expect(rule?.paused).toBe('moderator');
  });
});

describe('an administrator who falls below', () => {
  it('is neither warned of a loss that never comes, nor counted in the preview', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const admin = await group.member(6_000, 'Ada');
    const member = await group.member(6_000, 'Max');
    telegram().world.seats.put(group.group.id, admin.user.id, ADMIN);
    for (const each of [admin, member]) group.score(each, 10);
    await group.hours(2);
    const warned = (text: string) => text.includes(gate.warningTitle);
    expect(group.told(member).filter(warned)).toHaveLength(1);
    expect(group.told(admin).filter(warned)).toEqual([]);
    const preview = await group.say('/gate preview');
    expect(preview).toContain('Max');
    expect(preview).not.toContain('Ada');
    await group.hours(4);
    expect(group.isIn(member)).toBe(false);
    expect(telegram().world.seats.of(group.group.id, admin.user.id)).toEqual(ADMIN);
    expect(group.told(admin).filter(warned)).toEqual([]);
  });
});

describe('a group that became a supergroup while the bot was away', () => {
  it('keeps its rules, members and requests from the start', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    await group.rule();
    const person = await group.person(10);
    await group.asks(person);
    // Reported for a day, which is over.
    group.group = telegram().migrates(group.group, []);
    telegram().world.seats.ask(group.group.id, person.user.id);
    await group.restart();
    expect(await group.world.gated.gating.rulesOf(group.community)).toHaveLength(1);
    group.score(person, 6_000);
    await group.pass();
    expect(group.isIn(person)).toBe(true);
  });

  it.each(['announcements', 'panel'] as const)('keeps its %s without any rule', async (what) => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    const { panels, announcing } = group.world.gated.gating;
    const { community } = group;
    const by = `telegram:${group.owner.user.id}`;
    const settings = { channel: community.id, from: 'Whale', badges: undefined } as const;
    await (what === 'panel'
      ? panels.turnOn(community, community.id, by)
      : announcing.turnOn(community, settings, by));
    group.group = telegram().migrates(group.group, []);
    await group.restart();
    const { panel, announce } = await group.world.store.gating.settingsOf(group.community);
    expect((panel ?? announce)?.channel).toBe(group.community.id);
  });

  it('has its panel posted there, and no message of others touched', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    await group.rule();
    const { panels } = group.world.gated.gating;
    await panels.turnOn(group.community, group.community.id, `telegram:${group.owner.user.id}`);
    const former = (await panels.of(group.community)).post?.message;
    expect(former).toBeDefined();
    await group.hears(() => {
      group.group = telegram().migrates(group.group);
    });
    group.world.now += 61;
    const { settings, post } = await panels.of(group.community);
    expect(settings?.channel).toBe(group.community.id);
    expect(post?.message).toBeDefined();
    expect(post?.ended).toBeUndefined();
    for (const method of ['editMessageText', 'deleteMessage']) {
      expect(group.callsAbout(method)).toEqual([]);
    }
  });

  it('is known by its new id from a panel that could not be edited', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    await group.rule();
    const { panels } = group.world.gated.gating;
    const old = group.community;
    await panels.turnOn(old, old.id, `telegram:${group.owner.user.id}`);
    await panels.of(old);
    group.group = telegram().migrates(group.group, []);
    const description = 'Bad Request: message to edit not found';
    telegram().cause('editMessageText', { status: 400, description });
    group.world.now += 61;
    await panels.of(old);
    await group.watch.idle();
    expect((await panels.of(group.community)).post?.message).toBeDefined();
  });

  it('knows them for the first join request', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    await group.rule();
    const whale = await group.person(6_000);
    group.group = telegram().migrates(group.group, []);
    const late = Promise.withResolvers<void>();
    const begun = group.restart(late.promise);
    telegram().asksToJoin(whale, group.group);
    await telegram().until(() => telegram().updates.pending.length === 0);
    late.resolve();
    await begun;
    await telegram().until(() => group.isIn(whale));
  });

  it('is known by its new id from the first refused pass', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    await group.rule();
    group.group = telegram().migrates(group.group, []);
    const [old] = await group.world.store.gating.communities();
    if (old === undefined) throw new Error('there is no such group');
    await expect(group.world.gated.gating.sweep(old)).rejects.toThrow('upgraded');
    await group.watch.idle();
    expect(await group.world.gated.gating.rulesOf(group.community)).toHaveLength(1);
  });
});

it('after an undo, the report names who needs a new invitation, with the link', async () => {
  const group = new GatedGroup(telegram(), start);
  await group.rule({ graceSeconds: 0 });
  const max = await group.member(6_000, 'Max');
  group.score(max, 10);
  await group.hours(3);
  expect(group.isIn(max)).toBe(false);
  const undone = plain(await group.say('/gate undo'));
  expect(group.isIn(max)).toBe(false);
  expect(undone).not.toContain(gate.undoneAbout);
  expect(undone).toContain(`Max (${max.user.id})`);
  expect(undone).toContain('https://t.me/+link-');
});

describe('ways in that need no request', () => {
  const MEMBERS_MAY = { can_invite_users: true } as const;

  it.each(LANGUAGES)('are told with the rule in %s, which still works', async (language) => {
    const group = new GatedGroup(telegram(), start);
    const { gate: words } = textsFor(language);
    const { facts } = telegram().world;
    const add = async (tier: string) => {
      group.owner.user.language_code = language;
      return plain(await group.say(`/gate add tier:${tier}`));
    };
    const told = (text: string) =>
      Object.entries(words.cautions)
        .filter(([, sentence]) => text.includes(sentence))
        .map(([code]) => code);
    expect(told(await add('titan'))).toEqual([]);
    facts.set(group.group.id, { username: 'whales', permissions: MEMBERS_MAY });
    expect(told(await add('whale'))).toEqual(['public-entry', 'members-invite']);
    expect(told(plain(await group.say('/gate list')))).toEqual(['public-entry', 'members-invite']);
    const whale = await group.person(6_000);
    await group.asks(whale);
    expect(group.isIn(whale)).toBe(true);
    facts.set(group.group.id, { username: 'whales', join_by_request: true });
    expect(told(plain(await group.say('/gate list')))).toEqual([]);
  });
});

describe('what a moderator types', () => {
  it('bars and unbars a member by the name that @ completes', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const ada = await group.member(6_000, 'Ada');
    ada.user.username = 'ada_l';
    telegram().says(ada, '/stats', { in: group.group });
    await telegram().until(() => telegram().sentTo(group.group).length > 0);
    expect(await group.say('/gate bar @ada_l')).toContain(gate.barredTitle);
    expect(await group.say('/gate list')).toContain(`${gate.barredHere}: 1`);
    expect(await group.say('/gate unbar @ada_l')).toContain(gate.unbarredTitle);
  });

  it('names no role, as groups have none', async () => {
    const group = new GatedGroup(telegram(), start);
    const answer = plain(await group.say('/gate add role:@Whales tier:whale'));
    expect(answer).toContain(
      textsFor('en').errors.unexpected('role:@Whales', 'gate').split('. ')[0],
    );
    expect(await group.world.gated.gating.rulesOf(group.community)).toEqual([]);
  });

  it('twice for the same need is told to an applicant once', async () => {
    const group = new GatedGroup(telegram(), start);
    const { requirements, community, createdBy } = await group.rule();
    // The same can't be added twice, but changed into.
    const { id } = await group.rule({ requirements: [{ kind: 'score', least: 1 }] });
    await group.world.gated.gating.edit(community, id, { requirements }, createdBy);
    const sam = await group.person(10);
    await group.asks(sam);
    const need = gate.tier(textsFor('en').tiers.Whale);
    expect(group.told(sam)[0]).toContain(gate.joinLacks(need));
  });

  it('may end in the full stop that phones add, and names a rule in capitals', async () => {
    const group = new GatedGroup(telegram(), start);
    const { id } = await group.rule();
    expect(await group.say(`/gate pause ${id.toUpperCase()}.`)).toContain(gate.pausedTitle);
  });

  it('about somebody who isn’t there stays in the log with what it is about', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const sam = await group.person(10);
    const { kept } = telegram().says(sam, 'hello', { in: group.group });
    group.leaves(sam);
    const before = group.told(group.owner).length;
    telegram().says(group.owner, '/gate bar', { in: group.group, replyTo: kept });
    await telegram().until(() => group.told(group.owner).length > before);
    expect(await group.say('/gate log')).toContain(gate.everything);
  });
});
