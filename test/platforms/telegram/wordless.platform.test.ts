import type { Message } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { defuseLinks } from '#platforms/telegram/render/rich-text';
import { answererWith } from '../../support/ask.ts';
import { NOW, WHALE } from '../../support/fixed-source.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { KeptGate } from '../../support/telegram/gate.ts';
import { useTelegram } from '../../support/telegram/use.ts';
import { whoCommands } from '../../support/telegram/who.ts';

const { telegram, start } = useTelegram();
const EN = shown('en');
const ES = shown('es');

/** Fields of files, as Telegram sends them. */
const FILE = { file_id: 'AgACAgIAAxkBAAI', file_unique_id: 'AQAD', file_size: 9_000 };
const PHOTO = [
  { ...FILE, width: 90, height: 67 },
  { ...FILE, width: 1280, height: 960 },
];
const PLACE = { latitude: 40.4, longitude: -3.7 };

const CHAT = { id: 7, type: 'private', first_name: 'Ana' };

const KINDS: Readonly<Record<string, object>> = {
  photo: { photo: PHOTO },
  'voice message': { voice: { ...FILE, duration: 3, mime_type: 'audio/ogg' } },
  sticker: {
    sticker: {
      ...{ ...FILE, type: 'regular', width: 512, height: 512, is_animated: false },
      ...{ is_video: false, emoji: '🐋', set_name: 'Whales' },
    },
  },
  document: { document: { ...FILE, file_name: 'keys.pdf', mime_type: 'application/pdf' } },
  contact: { contact: { phone_number: '+34600000000', first_name: 'Ana' } },
  location: { location: PLACE },
  'live location': { location: { ...PLACE, live_period: 900, horizontal_accuracy: 12 } },
  venue: { location: PLACE, venue: { location: PLACE, title: 'Sol', address: 'Madrid' } },
  poll: {
    poll: {
      ...{
        id: '1',
        question: 'Deep?',
        options: [{ persistent_id: '0', text: 'Yes', voter_count: 0 }],
      },
      ...{ total_voter_count: 0, is_closed: false, is_anonymous: true, type: 'regular' },
      ...{ allows_multiple_answers: false, allows_revoting: true, members_only: false },
    },
  },
  dice: { dice: { emoji: '🎲', value: 6 } },
  'video note': { video_note: { ...FILE, length: 240, duration: 4 } },
  video: { video: { ...FILE, width: 640, height: 480, duration: 4 } },
  'animation, which is a document too': {
    animation: { ...FILE, width: 320, height: 240, duration: 2, mime_type: 'video/mp4' },
    document: { ...FILE, mime_type: 'video/mp4' },
  },
  'forwarded audio': {
    audio: { ...FILE, duration: 200, title: 'Song' },
    forward_origin: { type: 'hidden_user', sender_user_name: 'Bob', date: NOW },
  },
};

/** What happens in a private chat without anybody asking anything. */
const SERVICE: Readonly<Record<string, object>> = {
  pinned: { pinned_message: { message_id: 1, date: NOW, text: '/who', chat: CHAT } },
  timer: { message_auto_delete_timer_changed: { message_auto_delete_time: 86_400 } },
  background: { chat_background_set: { type: { type: 'chat_theme', theme_name: '🐋' } } },
  access: { write_access_allowed: { from_request: true } },
  gift: { gift: { gift: { id: '1', star_count: 15, ...KINDS.sticker } } },
};

/** As Telegram shows it: without links of its own making. */
function shown(language: string): string {
  return defuseLinks(textsFor(language).chat.wordless);
}

function begin() {
  const { heard, commands } = whoCommands();
  const gate = new KeptGate();
  start({ answerer: answererWith({ commands }), limits: NO_LIMITS, gate });
  const { world } = telegram();
  return { heard, gate, group: world.group(), asker: world.person() };
}

function texts(chat: { readonly id: number }): string[] {
  return telegram()
    .sentTo(chat)
    .map(({ text }) => text);
}

/** Everything that was sent to a chat before is handled once a command there is answered. */
async function settled(write: () => void, count: number): Promise<void> {
  write();
  await telegram().nth('sendMessage', count);
}

describe('a message without words in a private chat', () => {
  it.each(Object.entries(KINDS))('is answered with what the bot reads: a %s', async (_, what) => {
    const { asker } = begin();
    telegram().sends(asker, what as Partial<Message>);
    await telegram().nth('sendMessage', 1);
    expect(texts(asker.user)).toEqual([EN]);
  });

  it('is answered in its author’s language', async () => {
    begin();
    const asker = telegram().world.person({ language: 'es' });
    telegram().sends(asker, { photo: PHOTO });
    await telegram().nth('sendMessage', 1);
    expect(texts(asker.user)).toEqual([ES]);
  });

  it('is answered once if it’s an album', async () => {
    const { asker } = begin();
    for (const media_group_id of ['13', '14']) {
      for (let i = 0; i < 10; i += 1) telegram().sends(asker, { photo: PHOTO, media_group_id });
    }
    // Nor do the ten of an album leave no place for a command.
    await settled(() => telegram().says(asker, '/who'), 3);
    expect(texts(asker.user).filter((text) => text === EN)).toHaveLength(2);
  });

  it.each([
    ['first', [0]],
    ['in the middle', [4]],
    ['last', [9]],
    ['first and last', [0, 9]],
  ])('isn’t answered beside an album’s command that is %s', async (_, places) => {
    const { heard, asker } = begin();
    for (let i = 0; i < 10; i += 1) {
      const caption = places.includes(i) ? '/who' : 'my cat';
      const isWordless = i % 2 === 1 && !places.includes(i);
      const what = { photo: PHOTO, media_group_id: '15' };
      telegram().sends(asker, isWordless ? what : { ...what, caption });
    }
    // It's handled after the album: only then has everything else been left out.
    for (let i = 0; i < 2; i += 1) telegram().sends(asker, { photo: PHOTO, media_group_id: '16' });
    await telegram().until(() => texts(asker.user).length > places.length);
    await telegram().until(() => texts(asker.user).includes(EN));
    expect(heard).toHaveLength(places.length);
    expect(texts(asker.user)).toHaveLength(places.length + 1);
  });

  it('isn’t answered beside an album’s captions, of which each command is', async () => {
    const { heard, asker } = begin();
    const media_group_id = '15';
    telegram().sends(asker, { photo: PHOTO, media_group_id });
    telegram().sends(asker, { photo: PHOTO, media_group_id, caption: '/who' });
    const caption = `/who ${WHALE.address}`;
    telegram().sends(asker, { photo: PHOTO, media_group_id, caption });
    telegram().sends(asker, { photo: PHOTO, media_group_id: '16' });
    await telegram().until(() => texts(asker.user).length > 2);
    await telegram().until(() => texts(asker.user).includes(EN));
    expect(heard.map(({ about }) => about)).toEqual([undefined, WHALE.address]);
    expect(texts(asker.user)).toHaveLength(3);
  });

  it('says once what the bot reads if no caption of an album asks anything', async () => {
    const { asker } = begin();
    for (const media_group_id of ['15', '16']) {
      telegram().sends(asker, { photo: PHOTO, media_group_id, caption: 'my cat' });
      telegram().sends(asker, { photo: PHOTO, media_group_id });
      telegram().sends(asker, { photo: PHOTO, media_group_id, caption: 'my dog' });
    }
    await telegram().until(() => texts(asker.user).length === 2);
    await settled(() => telegram().says(asker, '/who'), 3);
    expect(texts(asker.user)).toHaveLength(3);
  });

  it('isn’t answered if a bot wrote it, nor when it’s edited', async () => {
    const { asker } = begin();
    const via_bot = { id: 9, is_bot: true, first_name: 'Gif', username: 'gif' };
    telegram().sends(asker, { ...KINDS.video, via_bot } as never);
    const message = { message_id: 7, date: NOW, chat: { ...CHAT, id: asker.user.id } };
    const edited = { ...message, from: asker.user, edit_date: NOW + 5, location: PLACE };
    telegram().send({ edited_message: edited } as never);
    await settled(() => telegram().says(asker, '/who'), 1);
    expect(texts(asker.user)).toHaveLength(1);
    expect(texts(asker.user)).not.toContain(EN);
  });

  it.each(Object.entries(SERVICE))('isn’t a service message: %s', async (_, what) => {
    const { asker } = begin();
    telegram().sends(asker, what as Partial<Message>);
    await settled(() => telegram().says(asker, '/who'), 1);
    expect(texts(asker.user)).not.toContain(EN);
  });
});

describe('a message without words in a group', () => {
  it('isn’t answered', async () => {
    const { asker, group } = begin();
    for (const what of Object.values(KINDS)) {
      telegram().sends(asker, what as Partial<Message>, { in: group });
    }
    await settled(() => telegram().says(asker, '/who', { in: group }), 1);
    expect(texts(group)).toHaveLength(1);
    expect(texts(group)).not.toContain(EN);
  });

  it('still reports a new name and a migration, and members nothing', async () => {
    const { asker, gate, group } = begin();
    const gone = telegram().world.person().user;
    telegram().announces(asker.user, group, { left_chat_member: gone });
    telegram().announces(asker.user, group, { new_chat_members: [gone] });
    telegram().announces(asker.user, group, SERVICE.pinned as never);
    telegram().renames(group, 'The Deep');
    const bigger = telegram().migrates(group);
    await telegram().until(() => gate.told.length === 3);
    expect(gate.told[0]).toBe(`entry of ${group.id} is called The Deep`);
    expect(gate.told.slice(1)).toEqual(Array(2).fill(`${group.id} is ${bigger.id}`));
    expect(telegram().made('sendMessage')).toHaveLength(0);
  });
});
