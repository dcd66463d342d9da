import { describe, expect, it } from 'vitest';
import { answererWith } from '../../support/ask.ts';
import { NOW, WHALE } from '../../support/fixed-source.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';
import { whoCommands } from '../../support/telegram/who.ts';

const { telegram, start } = useTelegram();

function begin(clock = () => NOW * 1000) {
  const { heard, commands } = whoCommands();
  start({ answerer: answererWith({ commands }), limits: NO_LIMITS, clock });
  const { world } = telegram();
  return { heard, group: world.group(), asker: world.person() };
}

describe('a caption', () => {
  it('is a command', async () => {
    const { heard, group, asker } = begin();
    const photo = telegram().uploaded('photos/1.jpg', Uint8Array.of(1));
    const maria = telegram().world.person({ name: 'Maria' });
    telegram().captions(asker, `/who ${WHALE.address}`, photo, { in: group });
    telegram().captions(asker, '/who Maria', photo, {
      in: group,
      mentions: { Maria: maria.user },
    });
    telegram().captions(asker, 'what a day', photo, { in: group });
    await telegram().nth('sendMessage', 2);
    telegram().captions(asker, `/who ${WHALE.address}`, photo);
    await telegram().nth('sendMessage', 3);
    const address = WHALE.address;
    expect(heard.map(({ about }) => about)).toEqual([address, String(maria.user.id), address]);
  });
});

describe('an edited message', () => {
  it('is answered if it was no command before, or one that was refused', async () => {
    const { heard, group, asker } = begin();
    const { kept: talk } = telegram().says(asker, 'who', { in: group });
    telegram().edits(talk, '/who');
    await telegram().nth('sendMessage', 1);
    const { kept: wrong } = telegram().says(asker, '/who 0x123', { in: group });
    expect((await telegram().nth('sendMessage', 2)).text).toContain('0x123');
    telegram().edits(wrong, `/who ${WHALE.address}`);
    await telegram().nth('sendMessage', 3);
    expect(heard.map(({ about }) => about)).toEqual([undefined, WHALE.address]);
  });

  it('is not answered again, nor long after it was written', async () => {
    const { heard, group, asker } = begin();
    const { kept: answered } = telegram().says(asker, '/who', { in: group });
    await telegram().nth('sendMessage', 1);
    telegram().edits(answered, `/who ${WHALE.address}`);
    const { kept: old } = telegram().says(asker, 'hello', { in: group });
    telegram().edits(old, '/who', 3_600);
    telegram().says(asker, '/who', { in: group });
    await telegram().nth('sendMessage', 2);
    expect(heard.map(({ about }) => about)).toEqual([undefined, undefined]);
    expect(telegram().made('sendMessage')).toHaveLength(2);
  });
});

describe('a bot that is called by its name', () => {
  it.each([
    ...['@fathom_bot /who', '@Fathom_Bot, /who', '/who @fathom_bot', '/who@fathom_bot'],
    ...['@fathom_bot who', '@Fathom_Bot: Who'],
  ])('answers %s', async (text) => {
    const { heard, group, asker } = begin();
    const others = ['@other_bot /who', '@other_bot who', '@fathom_bot thanks', '@alice who'];
    for (const each of others) telegram().says(asker, each, { in: group });
    telegram().says(asker, text, { in: group });
    await telegram().nth('sendMessage', 1);
    expect(heard.map(({ about }) => about)).toEqual([undefined]);
  });

  it('finds whom a command without a slash is about', async () => {
    const { heard, group, asker } = begin();
    const bea = telegram().world.person({ name: 'Bea' });
    const mentions = { Bea: bea.user };
    telegram().says(asker, '@fathom_bot who Bea', { in: group, mentions });
    await telegram().until(() => heard.length > 0);
    expect(heard.map(({ about }) => about)).toEqual([expect.stringContaining(String(bea.user.id))]);
  });
});
