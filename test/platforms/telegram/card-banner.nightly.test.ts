import type { Message } from 'grammy/types';
import { expect, it } from 'vitest';
import { createCardStyles } from '#app/chats/pictures';
import { UserError, type UserErrorCode } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { extremesOf } from '#pictures/render/draw';
import type { Banner } from '#pictures/style/index';
import { BANNER_SIZE, fetchBanner } from '#pictures/untrusted/image-fetcher';
import { readImageHeader } from '#pictures/untrusted/reencode';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import { MEMBER, OWNER, type Seat } from '../../../bench/servers/telegram/seats.ts';
import { answererWith } from '../../support/ask.ts';
import { gatingWith } from '../../support/gating.ts';
import { doorTo } from '../../support/picture-server.ts';
import { keptLog, NO_LIMITS } from '../../support/telegram/bot.ts';
import { KeptGate } from '../../support/telegram/gate.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { errors, card: words } = textsFor('en');
const sentence = (code: UserErrorCode) => errors.of(new UserError(code, ''));
const TEAL =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M-99 0h300v9h-300z" fill="teal"/></svg>';

/** A group with a bot that fetches banners through the real door. */
async function openGroup(seat: Seat = OWNER) {
  const log = keptLog();
  const store = openSqliteStore(':memory:', { thresholds: DEFAULT_THRESHOLDS, log });
  const door = doorTo(['127.0.0.1/32']);
  const fetched: string[] = [];
  const cardStyles = createCardStyles({
    store: store.cardStyles,
    fetchBanner(url) {
      fetched.push(url);
      return fetchBanner(door, url);
    },
    log,
  });
  const gating = gatingWith({ store: store.gating }).gating;
  const answerer = answererWith({ cardStyles, gating, log });
  start({ answerer, log, limits: NO_LIMITS, gate: new KeptGate() });
  const { world } = telegram();
  const person = world.person();
  const group = world.group();
  world.seats.put(group.id, person.user.id, seat);
  const community = { platform: 'telegram', id: String(group.id) } as const;
  let sent = 0;
  return {
    fetched,
    log,
    banner: async (): Promise<Banner | undefined> => await store.cardStyles.bannerOf(community),
    /** Sends a photo with a caption. */
    caption: (text: string, file: string) => telegram().captions(person, text, file, { in: group }),
    /** Replies to a message with these contents. @returns the answer in the private chat */
    async reply(text: string, replied: Partial<Message>): Promise<string> {
      const { kept } = telegram().says(person, 'look', { in: group });
      const original = { message_id: kept.id, date: 1, chat: group, from: person.user, ...replied };
      const extra = { reply_to_message: original } as unknown as Partial<Message>;
      telegram().says(person, text, { in: group, extra });
      sent += 2;
      return String((await telegram().nth('sendMessage', sent - 1)).text);
    },
  };
}

function photo(path: string, data: Uint8Array): Partial<Message> {
  const id = telegram().uploaded(path, data);
  const size = (name: string, width: number) => {
    return { file_id: name, file_unique_id: name, width, height: width / 2 };
  };
  return { photo: [size('thumbnail', 90), size(id, 1_280), size('huge', 2_560)] };
}

it('the photo that a moderator replies to becomes the banner, and nobody sees the token', async () => {
  const { reply, banner, fetched, log } = await openGroup();
  const text = await reply('/card banner', photo('photos/file_1.jpg', Buffer.from(TEAL)));
  expect(text).toContain(words.bannerSet);
  const { png } = (await banner())!;
  expect(readImageHeader(Buffer.from(png))).toEqual({ type: 'png', ...BANNER_SIZE });
  expect(extremesOf(png)).toEqual({ brightest: 0x008080, darkest: 0x008080 });
  expect(fetched[0]).toContain(telegram().token);
  expect(JSON.stringify([telegram().calls, log.lines])).not.toContain(telegram().token);
});

it('A picture that was sent as a file becomes the banner too, but what is typed comes first', async () => {
  const { reply, fetched } = await openGroup();
  const file = telegram().uploaded('documents/file_2.svg', Buffer.from(TEAL));
  const document = { file_id: file, file_unique_id: 'f', mime_type: 'image/svg+xml' };
  expect(await reply('/card banner', { document })).toContain(words.bannerSet);
  await reply('/card banner https://127.0.0.1:1/typed.png', { document });
  expect(fetched.map((url) => new URL(url).pathname.replace(/^.*\//, ''))).toEqual([
    'file_2.svg',
    'typed.png',
  ]);
});

it.each<[string, Partial<Message>, string]>([
  ['no picture', { text: 'nothing to see' }, words.noReply],
  [
    'a document of another type',
    { document: { file_id: 'a', file_unique_id: 'a', mime_type: 'application/pdf' } },
    words.noReply,
  ],
  [
    'a photo that is gone',
    { photo: [{ file_id: 'gone', file_unique_id: 'g', width: 800, height: 200 }] },
    sentence('banner-unreachable'),
  ],
])('a reply to %s is refused', async (_, replied, words) => {
  const { reply, fetched } = await openGroup();
  expect(await reply('/card banner', replied)).toContain(words);
  expect(fetched).toEqual([]);
});

it.each([
  ['over 2 MB', 'photos/large.jpg', 2_000_001, 'banner-too-large'],
  ['over what bots may download', 'photos/video.jpg', 20_000_001, 'banner-too-large'],
  ['no picture after all', 'photos/text.jpg', 1_000, 'banner-unreadable'],
  ['on the disk of a local server', '/var/lib/telegram/file.jpg', 10, 'banner-unreachable'],
  ['elsewhere', '../../bot/getMe', 10, 'banner-unreachable'],
] as const)('a photo that is %s is refused', async (_, path, size, code) => {
  const { reply, banner, log } = await openGroup();
  expect(await reply('/card banner', photo(path, Buffer.alloc(size, 'a')))).toContain(
    sentence(code),
  );
  expect(await banner()).toBeUndefined();
  expect(JSON.stringify(log.lines)).not.toContain(telegram().token);
});

it('a member without rights makes the bot fetch nothing', async () => {
  const { reply, fetched } = await openGroup(MEMBER);
  const text = await reply('/card banner', photo('photos/file_1.jpg', Buffer.from(TEAL)));
  expect(text).toContain(sentence('gate-not-allowed'));
  expect(fetched).toEqual([]);
  expect(telegram().made('getFile')).toEqual([]);
});

it('a photo is fetched later while Telegram has a fault', async () => {
  const { reply, banner } = await openGroup();
  telegram().cause('getFile', { status: 500 }, 10);
  const replied = photo('photos/file_1.jpg', Buffer.from(TEAL));
  expect(await reply('/card banner', replied)).not.toContain(words.bannerSet);
  telegram().calm();
  expect(await reply('/card banner', replied)).toContain(words.bannerSet);
  expect(await banner()).toBeDefined();
});

it('a caption with the command sets its own photo, and is answered once', async () => {
  const { caption, banner, fetched } = await openGroup();
  const kept = caption('/card banner', telegram().uploaded('photos/1.jpg', Buffer.from(TEAL)));
  await telegram().nth('sendMessage', 2);
  expect(await banner()).toBeDefined();
  // The caption is changed afterwards.
  telegram().edits(kept, '/card banner please');
  caption('/card', telegram().uploaded('photos/2.jpg', Buffer.from(TEAL)));
  await telegram().nth('sendMessage', 4);
  expect(fetched.map((url) => url.replace(/^.*\//, ''))).toEqual(['1.jpg']);
  const answers = telegram()
    .made('sendMessage')
    .map(({ text }) => String(text));
  expect(answers.filter((text) => text.includes(words.bannerSet))).toHaveLength(1);
  expect(answers).toHaveLength(4);
});
