import type { Message } from 'grammy/types';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import type { FloodLimits } from '#platforms/telegram/limits';
import type { Person } from '../../../bench/servers/telegram/world.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

/* What people write to a channel: Telegram keeps a topic for each of them, and takes no answer that names none. */

const EN = textsFor('en');
const { telegram, start } = useTelegram();

function begin(limits: FloodLimits = NO_LIMITS) {
  const outcomes: string[] = [];
  start({ limits, onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`) });
  const chat = telegram().world.group();
  Object.assign(chat, { is_direct_messages: true });
  const person = telegram().world.person();
  const writes = (text: string) => {
    const topic = { topic_id: person.user.id, user: person.user };
    const extra = { direct_messages_topic: topic } as Partial<Message>;
    telegram().says(person, text, { in: chat, extra });
  };
  return { chat, person, writes, outcomes };
}

function expectedIn({ user }: Person) {
  return { direct_messages_topic_id: user.id };
}

it('A command in a channel’s direct messages is answered in the topic of whoever wrote it', async () => {
  const { person, writes, outcomes } = begin();
  writes('/stats');
  expect(await telegram().nth('sendMessage', 1)).toMatchObject(expectedIn(person));
  // Others read it there, too.
  writes('/privacy');
  const notice = await telegram().nth('sendMessage', 3);
  expect(notice).toMatchObject({ ...expectedIn(person), text: EN.chat.sentPrivately });
  expect(outcomes).not.toContainEqual(expect.stringContaining('failed'));
});

it('A crowd in a channel’s direct messages is answered each in a topic of their own', async () => {
  const { chat, outcomes } = begin({ ...NO_LIMITS, chat: 1, chatMs: 50 });
  const people = Array.from({ length: 6 }, () => telegram().world.person());
  for (const { user } of people) {
    const extra = { direct_messages_topic: { topic_id: user.id, user } } as Partial<Message>;
    telegram().says({ user } as Person, '/stats', { in: chat, extra });
  }
  await telegram().nth('sendMessage', people.length);
  const topics = telegram()
    .made('sendMessage')
    .map((each) => Number(each.direct_messages_topic_id));
  expect(topics.toSorted((a, b) => a - b)).toEqual(people.map(({ user }) => user.id));
  expect(outcomes.filter((each) => each !== 'stats answered')).toEqual([]);
});
