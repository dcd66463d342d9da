import { describe, expect, it } from 'vitest';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { textsFor } from '#command/texts/index';
import { ADMIN, OWNER } from '../../../../bench/servers/telegram/seats.ts';
import { BOT } from '../../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { silentLog } from '../../../support/log.ts';
import { guard, KeptGate } from '../../../support/telegram/gate.ts';
import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

/* What the bot keeps of what administrators can change in Telegram: invite links and names. */

const { telegram, start } = useTelegram();
const { gate } = textsFor('en');
const gated = () => new GatedGroup(telegram(), start);
const made = () => telegram().made('createChatInviteLink').length;

/** As shown, without what stops Telegram from making links of it. */
function linkIn(text: string): string | undefined {
  return /https:\/\/t\.me\/\+link-\d+/.exec(text.replaceAll('\u2060', ''))?.[0];
}

describe('the invite link of a group', () => {
  it('stays the same through rules, commands and restarts', async () => {
    const group = gated();
    const link = linkIn(await group.say('/gate add tier:whale'));
    expect(link).toBeDefined();
    expect(linkIn(await group.say('/gate add tier:titan'))).toBe(link);
    await group.restart();
    expect(linkIn(await group.say('/gate link'))).toBe(link);
    expect(linkIn(await group.say('/gate enlace'))).toBe(link);
    expect(made()).toBe(1);
  });

  it('is renewed by /gate link once an administrator has revoked it', async () => {
    const group = gated();
    const link = linkIn(await group.say('/gate add tier:whale')) as string;
    Object.assign(telegram().world.links.get(link) as object, { isRevoked: true });
    const fresh = linkIn(await group.say('/gate link'));
    expect(fresh).toBeDefined();
    expect(fresh).not.toBe(link);
    await group.restart();
    expect(linkIn(await group.say('/gate link'))).toBe(fresh);
    expect(made()).toBe(2);
  });

  it('ends with /gate renew, which the log tells', async () => {
    const group = gated();
    const link = linkIn(await group.say('/gate add tier:whale')) as string;
    const fresh = linkIn(await group.say('/gate renew'));
    expect(fresh).not.toBe(link);
    expect(telegram().world.links.get(link)?.isRevoked).toBe(true);
    expect(await group.say('/gate log')).toContain(gate.events['invite-renewed']);
    expect(linkIn(await group.say('/gate link'))).toBe(fresh);
  });

  it('is shown as last known while Telegram is away', async () => {
    const group = gated();
    const link = linkIn(await group.say('/gate add tier:whale'));
    telegram().cause('editChatInviteLink', { status: 500 }, 9);
    expect(linkIn(await group.say('/gate link'))).toBe(link);
    expect(made()).toBe(1);
  });

  it('survives the loss of a right, and says which one is missing', async () => {
    const group = gated();
    const link = linkIn(await group.say('/gate add tier:whale'));
    const { seats } = telegram().world;
    seats.put(group.group.id, BOT.id, { ...ADMIN, can_invite_users: false });
    for (const text of ['/gate link', '/gate renew']) {
      expect((await group.say(text)).replaceAll('\u2060', ''), text).toContain(gate.linkKept);
    }
    expect(await group.audit()).toEqual(['rule-added']);
    seats.put(group.group.id, BOT.id, ADMIN);
    expect(linkIn(await group.say('/gate link'))).toBe(link);
  });

  it('is another one for the supergroup that the group has become', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    const link = linkIn(await group.say('/gate add tier:whale'));
    await group.hears(() => {
      group.group = telegram().migrates(group.group);
    });
    telegram().world.seats.put(group.group.id, group.owner.user.id, OWNER);
    const fresh = linkIn(await group.say('/gate link'));
    expect(fresh).toBeDefined();
    expect(fresh).not.toBe(link);
    expect(linkIn(await group.say('/gate link'))).toBe(fresh);
  });

  it('is made once by two replicas that are asked at the same time', async () => {
    const group = gated();
    const work = new MemoryWork(Date.now);
    const replicas = ['a', 'b'].map((id) => new Replica({ id, store: work, log: silentLog }));
    for (const each of replicas) await each.begin();
    const all = replicas.map((replica) =>
      group.world.open({ replica, adapterOf: () => group.bot.communityAdapter }),
    );
    const links = await Promise.all(all.map(({ gating }) => gating.invites.of(group.community)));
    expect(new Set(links).size).toBe(1);
    expect(made()).toBe(1);
    for (const each of replicas) await each.stop();
  });
});

it('A page links to the bot by the username that it has now', async () => {
  const { world } = telegram();
  const group = world.group({ bot: ADMIN });
  const owner = world.person({ name: 'Olga' });
  world.seats.put(group.id, owner.user.id, OWNER);
  start({
    answerer: answererWith({ commands: [guard] }),
    gate: new KeptGate(),
    timing: { identityMs: 20 },
  });
  const link = async () => {
    const before = telegram().sentTo(group).length;
    telegram().says(owner, '/guard list', { in: group });
    await telegram().until(() => telegram().sentTo(group).length > before);
    return JSON.stringify(telegram().lastIn(group).keyboard);
  };
  expect(await link()).toContain('t.me/fathom_bot');
  world.botUsername = 'depth_bot';
  const before = telegram().made('getMe').length;
  await telegram().until(() => telegram().made('getMe').length > before + 1);
  expect(await link()).toContain('t.me/depth_bot');
});

describe('the name of a group', () => {
  it.each([
    ['as Telegram reports it', true],
    ['even if nobody reported it', false],
  ])('is the present one in every answer, %s', async (_, told) => {
    const group = gated();
    await group.rule();
    const member = await group.member(6_000, 'Max');
    if (told) await group.hears(() => telegram().renames(group.group, 'The Pod'));
    else telegram().renames(group.group, 'The Pod', false);
    for (const text of ['/gate list', `/gate why ${member.user.id}`, '/gate preview']) {
      expect(await group.say(text), text).not.toContain('A group');
    }
    expect(await group.say('/gate list')).toContain('The Pod');
    const [rule] = await group.world.gated.gating.rulesOf(group.community);
    expect(rule?.grantName).toBe('The Pod');
  });

  it.each([
    ['as Telegram reports it', true],
    ['even if nobody reported it', false],
  ])('is its id where nothing of it can be seen, %s', async (_, told) => {
    const group = gated();
    await group.rule();
    if (told) await group.hears(() => telegram().renames(group.group, '\u200b \u2060'));
    else telegram().renames(group.group, '\u200b \u2060', false);
    const listed = (await group.say('/gate list')).replaceAll('\u2060', '');
    expect(listed).toContain(group.community.id);
    const [rule] = await group.world.gated.gating.rulesOf(group.community);
    expect(rule?.grantName).toBe(group.community.id);
  });

  it('stays as it was while the bot is out of the group', async () => {
    const group = gated();
    await group.rule();
    telegram().world.left.add(group.group.id);
    await group.world.gated.gating.problemsOf(group.community);
    const [rule] = await group.world.gated.gating.rulesOf(group.community);
    expect(rule?.grantName).toBe('A group');
  });
});
