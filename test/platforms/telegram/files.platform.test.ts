import { describe, expect, it } from 'vitest';
import { type Card, type CardFile, FILE_MAX, noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import type { Trouble } from '../../../bench/servers/telegram/api-server.ts';
import { answererWith } from '../../support/ask.ts';
import { keptLog } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

const TEXT = '{"name":"Ünï\\u202e 🐋 漢字"}\r\n----------\r\n';
const FILES: Readonly<Record<string, CardFile>> = {
  export: { name: 'fathom-export.json', text: TEXT },
  told: { name: 'told.csv', text: 'a\n', about: 'The file lists all of them' },
  mine: { name: 'mine.csv', text: 'a,b\n1,2\n' },
  large: { name: 'large.txt', text: 'x'.repeat(FILE_MAX) },
  unnamed: { name: '', text: 'x' },
  path: { name: '../x', text: 'x' },
  header: { name: 'a\r\nb', text: 'x' },
  long: { name: 'x'.repeat(101), text: 'x' },
  empty: { name: 'a.txt', text: '' },
  huge: { name: 'a.txt', text: 'x'.repeat(FILE_MAX + 1) },
};

/** A card with a file, private if it's for one person. */
const paper = defineCommand({
  name: 'paper',
  letter: 'p',
  about: () => 'A file',
  options: [{ kind: 'text', name: 'which', required: false, about: () => 'Which', longest: 20 }],
  private: false,
  run: (_, { which = 'export' }): Card => {
    const file = FILES[which];
    return {
      ...noteCard('plain', 'A paper', which),
      actions: [
        ['export', 'mine', 'none'].map((to) => ({
          label: to,
          call: { command: 'paper', args: { which: to } },
        })),
      ],
      private: which === 'mine',
      ...(file !== undefined && { file }),
    };
  },
});

/** The last line that isn't about the bot starting or stopping. */
const lastWord = (lines: readonly string[]) => lines.findLast((line) => !line.startsWith('info'));

/** A bot with that command, and the outcomes of its requests. */
function startPaper() {
  const outcomes: string[] = [];
  const log = keptLog();
  const onCommand = (name: string, outcome: string) => void outcomes.push(`${name} ${outcome}`);
  start({ answerer: answererWith({ commands: [paper] }), log, onCommand });
  const answered = (count = 1) => telegram().until(() => outcomes.length === count);
  return { outcomes, log, answered };
}

describe("a card's file", () => {
  it('follows it to the same chat, byte by byte', async () => {
    const { answered } = startPaper();
    const person = telegram().world.person();
    telegram().says(person, '/paper');
    await answered();
    expect(telegram().filesIn(person.user)).toMatchObject([
      { name: 'fathom-export.json', text: TEXT },
    ]);
    const methods = telegram().calls.map(({ method }) => method);
    expect(methods.indexOf('sendDocument')).toBeGreaterThan(methods.indexOf('sendMessage'));
  });

  it('says itself what it holds, as Telegram may refuse it', async () => {
    const { answered } = startPaper();
    const person = telegram().world.person();
    telegram().says(person, '/paper told');
    await answered();
    expect(telegram().lastIn(person.user).text).not.toContain('The file');
    expect(telegram().made('sendDocument')).toMatchObject([
      { caption: 'The file lists all of them' },
    ]);
  });

  it('may be as long as any', async () => {
    const { answered, outcomes } = startPaper();
    const person = telegram().world.person();
    telegram().says(person, '/paper large');
    await answered();
    expect(outcomes).toEqual(['paper answered']);
    expect(
      telegram()
        .filesIn(person.user)
        .map(({ text }) => text.length),
    ).toEqual([FILE_MAX]);
  });

  it('arrives in the same group and topic, as a reply', async () => {
    const { answered } = startPaper();
    const person = telegram().world.person();
    const group = telegram().world.group({ topics: true });
    const { kept } = telegram().says(person, '/paper', { in: group, topic: 77 });
    await answered();
    expect(telegram().filesIn(group)).toMatchObject([{ name: 'fathom-export.json', topic: 77 }]);
    expect(telegram().made('sendDocument')).toMatchObject([
      { reply_parameters: { message_id: kept.id, allow_sending_without_reply: true } },
    ]);
  });

  it('of a private card goes to the private chat, not the group', async () => {
    const { answered, outcomes } = startPaper();
    const person = telegram().world.person();
    const group = telegram().world.group();
    telegram().says(person, '/paper mine', { in: group });
    await answered();
    expect(telegram().filesIn(group)).toEqual([]);
    expect(telegram().filesIn(person.user)).toMatchObject([{ name: 'mine.csv' }]);
    const shy = telegram().world.person({ started: false });
    telegram().says(shy, '/paper mine', { in: group });
    await answered(2);
    expect(outcomes).toEqual(['paper answered', 'paper refused']);
    expect(telegram().made('sendDocument')).toHaveLength(1);
  });

  it('arrives after a button press as well', async () => {
    const { answered } = startPaper();
    const [person, group] = [telegram().world.person(), telegram().world.group({ topics: true })];
    telegram().says(person, '/paper none', { in: group, topic: 5 });
    await answered();
    expect(telegram().filesIn(group)).toEqual([]);
    const card = telegram().lastIn(group);
    telegram().presses(person, card, 'mine');
    await answered(2);
    telegram().presses(person, card, 'export');
    await answered(3);
    expect(telegram().filesIn(person.user)).toMatchObject([{ name: 'mine.csv' }]);
    expect(telegram().filesIn(group)).toMatchObject([{ name: 'fathom-export.json', topic: 5 }]);
    expect(telegram().made('sendDocument').at(-1)).toMatchObject({
      reply_parameters: { message_id: card.id },
    });
  });
});

describe('a file that Telegram rejects', () => {
  it.each<[string, Trouble, string]>([
    ['it is malformed', { status: 400, description: 'Bad Request: no idea' }, 'without its file'],
    ['it is too large', { status: 413, description: 'Request Entity Too Large' }, '413'],
  ])('because %s leaves the card, with a log entry', async (_, trouble, words) => {
    const { answered, outcomes, log } = startPaper();
    const person = telegram().world.person();
    telegram().cause('sendDocument', trouble);
    telegram().says(person, '/paper');
    await answered();
    expect(outcomes).toEqual(['paper answered']);
    expect(telegram().lastIn(person.user).text).toContain('A paper');
    expect(lastWord(log.lines)).toContain(words);
    expect(log.lines.join()).not.toContain('Ünï');
  });

  it('again and again is said once', async () => {
    const { answered, log } = startPaper();
    telegram().cause('sendDocument', { status: 400, description: 'Bad Request: no idea' }, 3);
    for (let i = 1; i <= 3; i++) {
      telegram().says(telegram().world.person(), '/paper');
      await answered(i);
    }
    expect(log.lines.filter((line) => !/^(?:info|debug)/.test(line))).toHaveLength(1);
  });

  it.each([
    'Forbidden: bot was blocked by the user',
    'Forbidden: not enough rights to send documents to the chat',
  ])('because of user actions (%s) leaves the card without a log entry', async (description) => {
    const { answered, outcomes, log } = startPaper();
    telegram().cause('sendDocument', { status: 403, description });
    telegram().says(telegram().world.person(), '/paper', { in: telegram().world.group() });
    await answered();
    expect(outcomes).toEqual(['paper answered']);
    expect(log.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('still tells the group where the answer is, and still answers the button', async () => {
    const { answered, outcomes } = startPaper();
    const person = telegram().world.person();
    const group = telegram().world.group();
    telegram().cause('sendDocument', { status: 400, description: 'Bad Request: no' }, 2);
    telegram().says(person, '/paper mine', { in: group });
    await answered();
    expect(telegram().lastIn(group).text).toContain(EN.chat.sentPrivately);
    telegram().says(person, '/paper none', { in: group });
    await answered(2);
    const query = telegram().presses(person, telegram().lastIn(group), 'mine');
    expect((await telegram().answerTo(query)).text).toContain(EN.chat.sentPrivately);
    await answered(3);
    expect(outcomes).toEqual(Array(3).fill('paper answered'));
  });

  it.each<[string, Trouble]>([
    ['429', { status: 429, retryAfter: 0.05 }],
    ['500', { status: 500 }],
    ['a dropped connection', 'drop'],
  ])('because of %s is sent again whole', async (_, trouble) => {
    const { answered } = startPaper();
    const person = telegram().world.person();
    telegram().cause('sendDocument', trouble);
    telegram().says(person, '/paper');
    await answered();
    expect(telegram().filesIn(person.user)).toMatchObject([
      { name: 'fathom-export.json', text: TEXT },
    ]);
  });
});

describe('an invalid file', () => {
  it.each(['unnamed', 'path', 'header', 'long', 'empty', 'huge'])(
    'is omitted, with a log entry: %s',
    async (which) => {
      const { answered, outcomes, log } = startPaper();
      telegram().says(telegram().world.person(), `/paper ${which}`);
      await answered();
      expect(outcomes).toEqual(['paper answered']);
      expect(telegram().made('sendDocument')).toEqual([]);
      expect(lastWord(log.lines)).toMatch(/^error bug:/);
    },
  );
});
