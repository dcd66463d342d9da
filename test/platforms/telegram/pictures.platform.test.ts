import { describe, expect, it } from 'vitest';
import type { CardPicture } from '#command/cards/card';
import { answererWith } from '../../support/ask.ts';
import { WHALE } from '../../support/fixed-source.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

const UPLOADED: CardPicture = { png: Uint8Array.of(1, 2, 3), url: undefined, alt: 'A rank card' };
const FETCHED = { ...UPLOADED, url: 'https://rep.example.org/card/0x1/abc.png' };
const SHOWN = { url: FETCHED.url, prefer_large_media: true, show_above_text: true };

describe("a wallet's rank card", () => {
  it('is shown above the text, and goes with it', async () => {
    start({ answerer: answererWith({ pictureOf: () => async () => FETCHED }) });
    const person = telegram().world.person();
    telegram().says(person, `/rep ${WHALE.address}`);
    const sent = await telegram().nth('sendMessage', 1);
    expect(sent).toMatchObject({ link_preview_options: SHOWN });
    expect(String(sent.text)).toContain('7,420');
    const card = telegram().lastIn(person.user);
    telegram().presses(person, card, 'Badges');
    const other = await telegram().nth('editMessageText', 1);
    expect(other).toMatchObject({ link_preview_options: { is_disabled: true } });
    telegram().presses(person, card, 'Reputation');
    const again = await telegram().nth('editMessageText', 2);
    expect(again).toMatchObject({ link_preview_options: SHOWN });
    expect(telegram().made('sendPhoto')).toEqual([]);
  });

  it('follows as a photo where Telegram cannot fetch it', async () => {
    start({ answerer: answererWith({ pictureOf: () => async () => UPLOADED }) });
    const person = telegram().world.person();
    telegram().says(person, `/rep ${WHALE.address}`);
    await telegram().nth('sendPhoto', 1);
    expect(telegram().made('sendMessage')).toMatchObject([
      { link_preview_options: { is_disabled: true } },
    ]);
    expect(telegram().filesIn(person.user)).toMatchObject([{ name: 'rank-card.png' }]);
  });

  it('delays no answer to a press', async () => {
    const drawn = Promise.withResolvers<CardPicture | undefined>();
    start({ answerer: answererWith({ pictureOf: () => () => drawn.promise }) });
    const person = telegram().world.person();
    telegram().says(person, `/badges ${WHALE.address}`);
    await telegram().nth('sendMessage', 1);
    const query = telegram().presses(person, telegram().lastIn(person.user), 'Reputation');
    await telegram().answerTo(query);
    expect(telegram().made('editMessageText')).toEqual([]);
    drawn.resolve(FETCHED);
    const edited = await telegram().nth('editMessageText', 1);
    expect(edited).toMatchObject({ link_preview_options: SHOWN });
  });

  it('is not drawn for suggestions', async () => {
    let drawn = 0;
    const pictureOf = () => async () => {
      drawn += 1;
      return FETCHED;
    };
    start({ answerer: answererWith({ pictureOf }) });
    const person = telegram().world.person();
    telegram().asksInline(person, WHALE.address);
    await telegram().nth('answerInlineQuery', 1);
    expect(drawn).toBe(0);
  });
});
