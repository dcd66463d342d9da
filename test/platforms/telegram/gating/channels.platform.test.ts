import type { Message } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { ADMIN, MEMBER, OWNER } from '../../../../bench/servers/telegram/seats.ts';
import type { Group, Person } from '../../../../bench/servers/telegram/world.ts';
import { GatedGroup, plain } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

/** A channel whose owner has made the bot an administrator; a member can join by its link only. */
async function gatedChannel() {
  const gated = new GatedGroup(telegram(), start);
  const { owner } = gated;
  const channel = telegram().world.channel();
  telegram().world.seats.put(channel.id, owner.user.id, OWNER);
  await gated.hears(() => telegram().promotes(owner, channel, ADMIN));
  await telegram().until(() => gated.told(owner).length === 1);
  return { gated, owner, channel, greeting: telegram().lastIn(owner.user) };
}

describe('a channel', () => {
  it('is set up from the private chat of whoever made the bot an administrator', async () => {
    const { gated, owner, channel, greeting } = await gatedChannel();
    expect(greeting.text).toContain(EN.chat.channelGreeting.split('/gate')[0]);
    telegram().says(owner, '/gate add tier:whale', { replyTo: greeting });
    await telegram().until(() => gated.told(owner).length === 2);
    expect(gated.told(owner)[1]).toContain('https://t.me/+link-1');
    gated.group = channel;
    const [whale, shrimp] = [await gated.person(9_000), await gated.person(1)];
    await gated.hears(() => gated.asks(whale));
    expect(gated.isIn(whale)).toBe(true);
    await gated.asks(shrimp);
    expect(gated.isIn(shrimp)).toBe(false);
    expect(gated.told(shrimp)).toHaveLength(1);
    // The answer's buttons are about the channel, too.
    telegram().presses(owner, telegram().lastIn(owner.user), textsFor('en').gate.listButton);
    await telegram().nth('editMessageText', 1);
    expect(telegram().lastIn(owner.user).text).toContain('A channel');
  });

  it('is told by its name from a group that somebody asked to join as well', async () => {
    const { gated, owner, channel, greeting } = await gatedChannel();
    await gated.rule();
    telegram().says(owner, '/gate add tier:whale', { replyTo: greeting });
    await telegram().until(() => gated.told(owner).length === 2);
    const applicant = await gated.person(1);
    await gated.asks(applicant);
    await gated.asks(applicant, channel);
    const { joinTitle } = EN.gate;
    const asked = [joinTitle('A group'), joinTitle('A channel')];
    expect(gated.told(applicant)).toEqual(asked.map((each) => expect.stringContaining(each)));
    await gated.links(applicant, 9_000);
    await telegram().until(() => gated.told(applicant).length === 4);
    const admitted = gated.told(applicant).slice(2);
    for (const each of asked) expect(admitted).toContainEqual(expect.stringContaining(each));
  });

  it('is meant by a reply to a post that was forwarded from it', async () => {
    const { gated, owner, channel } = await gatedChannel();
    const before = gated.told(owner).length;
    const reply_to_message = telegram().forwards(owner, channel);
    await telegram().until(() => gated.told(owner).length === before + 1);
    telegram().says(owner, '/gate list', { extra: { reply_to_message } as never });
    await telegram().until(() => gated.told(owner).length === before + 2);
    expect(gated.told(owner).at(-1)).toContain(EN.gate.none);
  });

  it.each<[string, (owner: Person, channel: Group) => unknown]>([
    ['post', (owner, channel) => telegram().forwards(owner, channel)],
    [
      'picture',
      (owner, chat) => {
        const origin = { type: 'channel', date: 1, chat, message_id: 7 };
        const photo = [{ file_id: 'f', file_unique_id: 'u', width: 9, height: 9 }];
        telegram().sends(owner, { photo, forward_origin: origin } as never);
      },
    ],
  ])('is gone on with from a %s that its moderator forwards, by a reply', async (_, forward) => {
    const { gated, owner, channel, greeting } = await gatedChannel();
    forward(owner, channel);
    await telegram().until(() => gated.told(owner).length === 2);
    expect(gated.told(owner)[1]).toBe(greeting.text);
    const replyTo = telegram().lastIn(owner.user);
    telegram().says(owner, '/gate add tier:whale', { replyTo });
    await telegram().until(() => gated.told(owner).length === 3);
    expect(gated.told(owner)[2]).toContain('https://t.me/+link-1');
  });

  it('tells nobody else how to go on: their forwarded post is any other message', async () => {
    const { gated, channel } = await gatedChannel();
    const other = telegram().world.person();
    telegram().world.seats.put(channel.id, other.user.id, MEMBER);
    telegram().forwards(other, channel);
    await telegram().until(() => gated.told(other).length === 1);
    expect(plain(gated.told(other)[0])).toContain(EN.help.title);
  });

  it('is all that a forwarded post says: whoever forwarded it isn’t whom a command is about', async () => {
    const { gated, owner, channel } = await gatedChannel();
    const before = gated.told(owner).length;
    const reply_to_message = telegram().forwards(owner, channel);
    await telegram().until(() => gated.told(owner).length === before + 1);
    telegram().says(owner, '/gate bar', { extra: { reply_to_message } as never });
    await telegram().until(() => gated.told(owner).length === before + 2);
    const refusal = plain(gated.told(owner).at(-1) ?? '');
    expect(refusal).toContain(EN.errors.missingMember('member'));
    const community = { platform: 'telegram', id: String(channel.id) } as const;
    expect(await gated.audit(community as never)).toEqual([]);
  });

  it('is meant by a reply in private to one of its posts, to whoever may invite there', async () => {
    const { gated, owner, channel } = await gatedChannel();
    const origin = { type: 'channel', date: 0, chat: channel, message_id: 7 };
    const extra = { external_reply: { origin, chat: channel, message_id: 7 } } as never;
    telegram().says(owner, '/gate list', { extra });
    await telegram().until(() => gated.told(owner).length === 2);
    expect(gated.told(owner)[1]).toContain(EN.gate.none);
    const other = telegram().world.person();
    telegram().world.seats.put(channel.id, other.user.id, MEMBER);
    telegram().says(other, '/gate list', { extra });
    await telegram().until(() => gated.told(other).length === 1);
    expect(gated.told(other)[0]).toContain(EN.gateErrors['gate-not-allowed']);
  });

  it('is still meant by a reply to a refusal', async () => {
    const { gated, owner, greeting } = await gatedChannel();
    telegram().says(owner, '/gate add tier:wale', { replyTo: greeting });
    await telegram().until(() => gated.told(owner).length === 2);
    expect(gated.told(owner)[1]).toContain('wale');
    telegram().says(owner, '/gate add tier:whale', { replyTo: telegram().lastIn(owner.user) });
    await telegram().until(() => gated.told(owner).length === 3);
    expect(gated.told(owner)[2]).toContain('A channel');
  });

  it('isn’t shown to somebody who may not invite there', async () => {
    const { gated, channel, owner } = await gatedChannel();
    telegram().says(owner, '/gate list', { replyTo: telegram().lastIn(owner.user) });
    await telegram().until(() => gated.told(owner).length === 2);
    for (const seat of [MEMBER, { ...ADMIN, can_invite_users: false }]) {
      const other = telegram().world.person();
      telegram().world.seats.put(channel.id, other.user.id, seat);
      const reply_to_message = telegram().forwards(other, channel);
      await telegram().until(() => gated.told(other).length === 1);
      telegram().says(other, '/gate list', { extra: { reply_to_message } as never });
      await telegram().until(() => gated.told(other).length === 2);
      expect(gated.told(other)[1]).toContain(EN.gateErrors['gate-not-allowed']);
    }
  });

  it('is named as a way by /gate in a private chat', async () => {
    const { gated, owner } = await gatedChannel();
    telegram().says(owner, '/gate list');
    await telegram().until(() => gated.told(owner).length === 2);
    expect(gated.told(owner)[1]).toContain(textsFor('en').chat.forChannel);
  });
});

it('a moderators’ command posted in a channel is answered with where to send it', async () => {
  const { owner, channel } = await gatedChannel();
  telegram().posts(channel, 'Good morning');
  telegram().posts(channel, '/help');
  telegram().posts(channel, '/gate list');
  await telegram().until(() => telegram().sentTo(channel).length === 1);
  const [answer] = telegram().sentTo(channel);
  expect(answer?.text).toContain(textsFor('en').chat.forChannel);
  expect(telegram().sentTo(owner.user)).toHaveLength(1);
});

it('A post that is edited into a moderators’ command is answered once, if it isn’t old', async () => {
  const { channel } = await gatedChannel();
  const [talk, old] = [telegram().posts(channel, 'gate'), telegram().posts(channel, 'gate')];
  telegram().editsPost(old, '/gate list', 3_600);
  telegram().editsPost(talk, '/gate list');
  telegram().editsPost(talk, '/gate list tier:whale');
  telegram().editsPost(telegram().posts(channel, '/gate'), '/gate list');
  await telegram().until(() => telegram().sentTo(channel).length === 2);
  telegram().posts(channel, '/gate list');
  await telegram().until(() => telegram().sentTo(channel).length === 3);
  const replies = telegram().made('sendMessage').slice(-3);
  const to = replies.map(({ reply_parameters: reply }) => (reply as Message).message_id);
  expect(new Set(to).size).toBe(3);
  expect(to).not.toContain(old.message_id);
});

it('a channel’s new name is shown from then on', async () => {
  const { gated, channel } = await gatedChannel();
  gated.group = channel;
  await gated.rule();
  await gated.hears(() => telegram().renames(channel, 'The Deep'));
  const [rule] = await gated.world.gated.gating.rulesOf(gated.community);
  expect(rule?.grantName).toBe('The Deep');
});
