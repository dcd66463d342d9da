import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { announcementCard } from '#gating/announce/cards';
import { NotSent } from '#gating/platform';
import { unknownRefusal } from '#gating/rules/refusals';
import { ADMIN, LEFT, MEMBER, OWNER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { answererWith } from '../../../support/ask.ts';
import { keptLog } from '../../../support/telegram/bot.ts';
import { KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const PNG = new Uint8Array([137, 80, 78, 71]);

/** A group with Vera, who has risen. */
function rising(url?: string) {
  const log = keptLog();
  const { communityAdapter } = start({ answerer: answererWith(), gate: new KeptGate(), log });
  const { world } = telegram();
  const group = world.group({ bot: ADMIN });
  const person = world.person({ name: 'Vera' });
  world.seats.put(group.id, person.user.id, MEMBER);
  const one = { account: String(person.user.id), tier: 'Whale' as const, badges: [] };
  const picture = async () => ({ png: PNG, url, alt: 'A rank card' });
  const card = announcementCard([one], 0, textsFor('es'), picture);
  const community = String(group.id);
  const post = () => communityAdapter.post?.(community, community, card, 'rise-1');
  return { communityAdapter, group, post };
}

it('an announcement is one silent message: the rank card with the words below', async () => {
  const { post } = rising();
  expect(await post()).toMatchObject({ message: expect.any(String) });
  expect(telegram().made('sendMessage')).toHaveLength(0);
  const [sent] = telegram().made('sendPhoto');
  expect(sent).toMatchObject({ disable_notification: true });
  expect(sent?.caption).toContain(`Vera ${textsFor('es').announce.isNow.Whale}`);
  // A name, not a mention, which would notify.
  expect(JSON.stringify(sent?.caption_entities ?? [])).not.toMatch(/mention|tg:/);
});

it('A post in Telegram is a text with a preview if Telegram can fetch the card', async () => {
  const { post } = rising('https://fathom.example/card.png');
  await post();
  expect(telegram().made('sendPhoto')).toHaveLength(0);
  expect(telegram().made('sendMessage')).toMatchObject([
    {
      disable_notification: true,
      link_preview_options: { url: 'https://fathom.example/card.png' },
    },
  ]);
});

it.each(['drop', 'drop-after'] as const)(
  'A post is sent once if the answer is lost: %s',
  async (lost) => {
    const { communityAdapter, post } = rising('https://fathom.example/card.png');
    expect(communityAdapter.postsOnceFor).toBe(0);
    telegram().cause('sendMessage', lost, 3);
    const fault = await post()?.catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(RetryableError);
    expect(fault).not.toBeInstanceOf(NotSent);
    expect(telegram().made('sendMessage').length).toBeLessThanOrEqual(1);
  },
);

it('A post in Telegram was certainly not sent if Telegram asks to wait for long', async () => {
  const { post } = rising('https://fathom.example/card.png');
  telegram().cause('sendMessage', { status: 429, retryAfter: 100 }, 1);
  await expect(post()).rejects.toThrow(NotSent);
});

it('A post in Telegram says why a group does not take it', async () => {
  const { group, post } = rising('https://fathom.example/card.png');
  telegram().cause('sendMessage', {
    status: 400,
    description: 'Bad Request: not enough rights to send text messages to the chat',
  });
  expect(await post()).toEqual({ refused: 'chat-closed' });
  telegram().world.left.add(group.id);
  expect(await post()).toEqual({ refused: 'channel-gone' });
});

it.each([
  ['Bad Request: have no rights to send a message', 'chat-closed'],
  ['Bad Request: CHAT_SEND_PLAIN_FORBIDDEN', 'chat-closed'],
  ['Bad Request: CHAT_RESTRICTED', 'chat-closed'],
  ['Forbidden: CHAT_WRITE_FORBIDDEN', 'chat-closed'],
  ['Bad Request: SOMETHING_NEW', unknownRefusal('400:SOMETHING_NEW')],
])('A post in Telegram that is refused with “%s” says so', async (description, refused) => {
  const { post } = rising('https://fathom.example/card.png');
  telegram().cause('sendMessage', { status: description.startsWith('F') ? 403 : 400, description });
  expect(await post()).toEqual({ refused });
});

const READERS = { status: 'restricted', is_member: true } as const;

it.each<['group' | 'channel', Seat, true | string]>([
  ['group', ADMIN, true],
  ['group', MEMBER, true],
  ['group', READERS, 'chat-closed'],
  ['group', LEFT, 'chat-closed'],
  ['channel', OWNER, true],
  ['channel', { ...ADMIN, can_post_messages: true }, true],
  ['channel', { ...ADMIN, can_post_messages: false }, 'chat-closed'],
  ['channel', MEMBER, 'chat-closed'],
])('A bot in a Telegram %s as %o knows whether it may write', async (kind, bot, may) => {
  const { communityAdapter } = start({ answerer: answererWith(), gate: new KeptGate() });
  const { world } = telegram();
  const chat = kind === 'group' ? world.group({ bot }) : world.channel({ bot });
  expect(await communityAdapter.canPost?.(String(chat.id), String(chat.id))).toBe(may);
});

it('A bot that is a mere member knows that a Telegram group lets no member write', async () => {
  const { communityAdapter } = start({ answerer: answererWith(), gate: new KeptGate() });
  const { world } = telegram();
  const [group, left] = [world.group({ bot: MEMBER }), world.group({ bot: MEMBER })];
  world.facts.set(group.id, { permissions: { can_send_messages: false } });
  expect(await communityAdapter.canPost?.(String(group.id), '')).toBe('chat-closed');
  world.left.add(left.id);
  expect(await communityAdapter.canPost?.(String(left.id), '')).toBe('channel-gone');
});
