import { expect, it } from 'vitest';
import { type CardStyle, type CardStyles, NO_STYLE } from '#pictures/style/index';
import { OWNER } from '../../../bench/servers/telegram/seats.ts';
import { answererWith } from '../../support/ask.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { KeptGate } from '../../support/telegram/gate.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

it('an administrator of a group chooses the colour and the banner of its cards', async () => {
  const asked: [string, unknown][] = [];
  const cardStyles: CardStyles = {
    styleOf: async (): Promise<CardStyle> => NO_STYLE,
    bannerOf: async () => undefined,
    setAccent: async ({ id }, accent) => void asked.push([id, accent]),
    setBanner: async ({ id }, url) => void asked.push([id, url]),
    reset: async ({ id }) => void asked.push([id, 'reset']),
  };
  const answerer = answererWith({ cardStyles });
  start({ answerer, limits: NO_LIMITS, gate: new KeptGate() });
  const { world } = telegram();
  const person = world.person();
  const group = world.group();
  world.seats.put(group.id, person.user.id, OWNER);
  telegram().says(person, '/start');
  await telegram().nth('sendMessage', 1);
  const lines = [
    '/card colour teal',
    '/card color #1790ed',
    '/card banner https://example.org/a b.png',
    '/card reset',
  ];
  for (const [i, line] of lines.entries()) {
    telegram().says(person, line, { in: group });
    await telegram().nth('sendMessage', 1 + 2 * (i + 1));
  }
  const photo = [
    {
      ...{ file_id: telegram().uploaded('photos/1.jpg', new Uint8Array(9)), file_unique_id: 'u' },
      ...{ width: 1200, height: 300 },
    },
  ];
  const origin = { type: 'user', date: 0, sender_user: person.user };
  const extra = { external_reply: { origin, photo } } as never;
  telegram().says(person, '/card banner', { in: group, extra });
  await telegram().nth('sendMessage', 1 + 2 * (lines.length + 1));
  const id = String(group.id);
  const [, elsewhere] = asked.pop() ?? [];
  expect(elsewhere).toMatch(/photos\/1\.jpg$/);
  expect(asked).toEqual([
    [id, 0x009688],
    [id, 0x1790ed],
    [id, 'https://example.org/a b.png'],
    [id, 'reset'],
  ]);
});
