import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { ADMIN, MEMBER } from '../../../../bench/servers/telegram/seats.ts';
import { BOT } from '../../../../bench/servers/telegram/world.ts';
import { GatedGroup, plain } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

/** A group that would admit anyone who has ever linked a wallet, and someone who doesn't know about it. */
async function openTrap() {
  const group = new GatedGroup(telegram(), start);
  await group.rule({ requirements: [{ kind: 'score', least: 1 }] });
  const stranger = await group.person(undefined, 'Sam');
  return { group, stranger, account: String(stranger.user.id) };
}

/** What the group's moderators get to see of someone. */
async function seenOf(group: GatedGroup): Promise<string> {
  const answers: string[] = [];
  for (const text of ['/gate preview', '/gate run', '/gate list', '/gate log']) {
    answers.push(await group.say(text));
  }
  const files = telegram().filesIn(group.owner.user);
  return [...answers, ...files.map(({ text }) => text)].join('\n');
}

it('a group never learns of a wallet whose owner never asked to join it', async () => {
  const { group, stranger, account } = await openTrap();
  await group.links(stranger, 6_000);
  await group.pass();
  expect(group.callsAbout('approveChatJoinRequest')).toEqual([]);
  // Nor is Telegram asked whether they're there.
  const asked = telegram().calls.filter((each) => String(each.payload.user_id) === account);
  expect(asked).toEqual([]);
  expect(await group.audit()).toEqual(['rule-added']);
  expect(await group.world.store.gating.member(group.community, account)).toBeUndefined();
  const seen = await seenOf(group);
  expect(seen).not.toContain(account);
  expect(seen).not.toContain('6,000');
});

it('an applicant of one group is judged there only', async () => {
  const { group, stranger, account } = await openTrap();
  const other = telegram().world.group({ bot: ADMIN });
  const community = { platform: 'telegram', id: String(other.id) } as const;
  const rule = await group.rule();
  await group.world.store.gating.putRule({ ...rule, community });
  await group.asks(stranger, other);
  await group.links(stranger, 6_000);
  expect(telegram().world.seats.of(other.id, stranger.user.id)).toEqual(MEMBER);
  expect(group.callsAbout('approveChatJoinRequest')).toEqual([]);
  expect((await group.audit()).join()).not.toContain(account);
});

it.each(['before', 'after'])(
  'a non-member who posts in a group is no member of it, %s its first rule',
  async (when) => {
    const group = new GatedGroup(telegram(), start);
    if (when === 'after') await group.rule();
    const stranger = await group.person(6_000);
    // As under a channel's posts, where anyone may comment.
    telegram().says(stranger, '/help', { in: group.group });
    await telegram().until(() => telegram().sentTo(group.group).length > 0);
    await group.watch.idle();
    const account = String(stranger.user.id);
    expect(await group.world.store.gating.member(group.community, account)).toBeUndefined();
    if (when === 'before') await group.rule();
    expect(await seenOf(group)).not.toContain('6,000');
  },
);

it("/gate protect and /gate why show no figures of people who aren't members", async () => {
  const { group, stranger, account } = await openTrap();
  await group.links(stranger, 6_000);
  const { kept } = telegram().says(stranger, 'hello', { in: group.group });
  for (const text of ['/gate protect', '/gate why']) {
    const before = group.told(group.owner).length;
    telegram().says(group.owner, text, { in: group.group, replyTo: kept });
    await telegram().until(() => group.told(group.owner).length > before);
    expect(group.told(group.owner).at(-1)).not.toContain('6,000');
  }
  expect(group.told(group.owner)[0]).toContain(EN.gateErrors['gate-no-member']);
  expect(await group.world.store.gating.member(group.community, account)).toBeUndefined();
  expect(await seenOf(group)).not.toContain('6,000');
});

it('A look at a member that Telegram refuses for an unknown reason is told with its code', async () => {
  const { group, stranger } = await openTrap();
  const { kept } = telegram().says(stranger, 'hello', { in: group.group });
  // Who is a moderator is known from now on.
  await group.say('/gate list');
  telegram().cause('getChatMember', { status: 400, description: 'Bad Request: NEW_REASON' }, 99);
  const why = plain(await group.say('/gate why', kept));
  expect(why).toContain(EN.gate.whyUnchecked);
  expect(why).toContain(EN.gate.refusedWith('400:NEW_REASON'));
  const protect = plain(await group.say('/gate protect', kept));
  expect(protect).toContain(EN.errors.platformRefused('Telegram', '400:NEW_REASON', 5));
});

it.each(['/gate protect', '/gate bar', '/gate why'])(
  '%s refuses an ID that nobody has, and the one of the bot',
  async (command) => {
    const group = new GatedGroup(telegram(), start);
    for (const id of ['99999999999999999999', String(BOT.id)]) {
      expect(plain(await group.say(`${command} ${id}`))).toContain(
        plain(EN.errors.notAMember('member', id)),
      );
    }
    expect(await group.audit()).toEqual([]);
  },
);

it('/gate protect says of an ID that Telegram doesn’t tell the bot about that it should be checked', async () => {
  const group = new GatedGroup(telegram(), start);
  const answer = plain(await group.say('/gate protect 6100999999'));
  expect(answer).toContain(EN.gateErrors['gate-unknown-account']);
  expect(plain(await group.say('/gate why 6100999999'))).toContain(EN.gate.whyUnchecked);
});

it("Figures of a member who left unnoticed aren't shown any more", async () => {
  const { group } = await openTrap();
  const whale = await group.member(6_000);
  const { kept } = telegram().says(whale, 'hello', { in: group.group });
  telegram().world.seats.put(group.group.id, whale.user.id, { status: 'left' });
  const before = group.told(group.owner).length;
  telegram().says(group.owner, '/gate why', { in: group.group, replyTo: kept });
  await telegram().until(() => group.told(group.owner).length > before);
  const why = group.told(group.owner).at(-1) ?? '';
  // What happened while they were a member is shown; their current figures aren't.
  expect(why.split(EN.gate.logTitle)[0]).not.toContain('6,000');
});
