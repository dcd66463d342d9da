import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../../support/ask.ts';
import { FixedSource, fixedWallets, WHALE } from '../../support/fixed-source.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

it('The bot edits the message in place, and always answers the press', async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, `/rep ${WHALE.address}`);
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  const query = telegram().presses(person, card, 'Badges');
  const edited = await telegram().nth('editMessageText', 1);
  expect(edited).toMatchObject({ chat_id: person.user.id, message_id: card.id });
  expect(card.text).toContain(EN.badges.title(''));
  expect(query.answers).toHaveLength(1);
});

it('A button works after a restart', async () => {
  const first = start();
  const person = telegram().world.person();
  telegram().says(person, '/top');
  await telegram().nth('sendMessage', 1);
  await first.stop();
  start();
  const card = telegram().lastIn(person.user);
  const next = card.keyboard?.inline_keyboard.flat().map((each) => each.text) ?? [];
  expect(next.length).toBeGreaterThan(0);
  telegram().presses(person, card, 'Statistics');
  await telegram().nth('editMessageText', 1);
  expect(card.text).toContain('Statistics');
});

it("The bot shows a menu's choices as rows of buttons", async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, '/top');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  telegram().presses(person, card, 'Solana');
  await telegram().nth('editMessageText', 1);
  expect(card.text).toContain('Leaderboard · Solana');
});

it('The bot lets nobody else press in a group, and tells them why', async () => {
  start();
  const [asker, other] = [telegram().world.person(), telegram().world.person({ language: 'es' })];
  const group = telegram().world.group();
  telegram().says(asker, '/stats', { in: group });
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(group);
  const label = card.keyboard?.inline_keyboard[0]?.[0]?.text ?? '';
  const answer = await telegram().answerTo(telegram().presses(other, card, label));
  expect(answer.text).toContain(textsFor('es').errors.notYours);
  expect(telegram().made('editMessageText')).toHaveLength(0);
  await telegram().answerTo(telegram().presses(asker, card, label));
  await telegram().nth('editMessageText', 1);
});

it('The bot lets anyone press if the caller is unknown', async () => {
  start();
  const [asker, other] = [telegram().world.person(), telegram().world.person()];
  const group = telegram().world.group();
  const anonymous = {
    from: { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' },
    sender_chat: group,
  };
  telegram().says(asker, '/stats', { in: group, extra: anonymous as never });
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(group);
  const label = card.keyboard?.inline_keyboard[0]?.[0]?.text ?? '';
  telegram().presses(other, card, label);
  await telegram().nth('editMessageText', 1);
});

it.each([
  '?nonsense',
  // Asked who an anonymous administrator was, before a restart.
  `~anonymous~${'0a'.repeat(12)}`,
])('The bot says that an unknown button is outdated (%s)', async (data) => {
  start();
  const person = telegram().world.person();
  telegram().says(person, '/stats');
  await telegram().nth('sendMessage', 1);
  const query = telegram().presses(person, telegram().lastIn(person.user), data);
  expect((await telegram().answerTo(query)).text).toContain(EN.errors.oldButton);
});

it('The bot shows a partial result in the message, whole', async () => {
  const answerer = answererWith();
  const answer = answerer.answer.bind(answerer);
  answerer.answer = async (request) => {
    const card = await answer(request);
    return card.title.includes('Statistics') ? { ...card, tone: 'warning' } : card;
  };
  start({ answerer });
  const person = telegram().world.person();
  telegram().says(person, '/top');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  const query = telegram().presses(person, card, 'Statistics');
  expect((await telegram().answerTo(query)).show_alert).toBeUndefined();
  await telegram().nth('editMessageText', 1);
  expect(card.text).toContain('Statistics');
});

it('The bot shows a question with the buttons that answer it', async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, '/privacy');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  telegram().presses(person, card, EN.privacy.buttons.erase);
  await telegram().nth('editMessageText', 1);
  expect(card.text).toContain(EN.privacy.eraseAbout);
  telegram().presses(person, card, EN.privacy.eraseButton);
  await telegram().nth('editMessageText', 2);
  expect(card.text).toContain(EN.privacy.erasedTitle);
});

it('The bot shows a failure over the card, which stays', async () => {
  class Moody extends FixedSource {
    down = false;
    override stats() {
      if (this.down) throw new RetryableError('down', { retryAfter: 7 });
      return super.stats();
    }
  }
  const source = new Moody(fixedWallets());
  start({ answerer: answererWith({ source }) });
  const person = telegram().world.person();
  telegram().says(person, '/top');
  await telegram().nth('sendMessage', 1);
  source.down = true;
  const card = telegram().lastIn(person.user);
  const answer = await telegram().answerTo(telegram().presses(person, card, 'Statistics'));
  expect(answer).toMatchObject({ show_alert: true, text: expect.stringContaining('7 seconds') });
  expect(card.text).toContain('Leaderboard');
});

it('The bot shows what was pressed although it was too late to end the press', async () => {
  class Moody extends FixedSource {
    down = false;
    override stats() {
      if (this.down) throw new RetryableError('down', { retryAfter: 7 });
      return super.stats();
    }
  }
  const source = new Moody(fixedWallets());
  start({ answerer: answererWith({ source }) });
  const person = telegram().world.person();
  telegram().says(person, '/top');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  // As after a restart: Telegram takes an answer to a press for a while only.
  telegram().presses(person, card, 'Statistics').expired = true;
  await telegram().nth('editMessageText', 1);
  expect(card.text).toContain('Statistics');
  source.down = true;
  telegram().presses(person, card, 'Leaderboard').expired = true;
  await telegram().nth('editMessageText', 2);
  telegram().presses(person, card, 'Statistics').expired = true;
  expect((await telegram().nth('sendMessage', 2)).text).toContain('7 seconds');
  expect(card.text).toContain('Leaderboard');
});

it('The bot stays silent if the message is the same or gone, or the press is too old', async () => {
  const outcomes: string[] = [];
  start({ onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`) });
  const person = telegram().world.person();
  telegram().says(person, '/stats');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  const again = { ...card };
  telegram().presses(person, card, 'Leaderboard');
  await telegram().until(() => outcomes.includes('top answered'));
  telegram().presses(person, again, 'Leaderboard');
  await telegram().until(() => outcomes.includes('top undelivered'));
  telegram().world.delete(card);
  telegram().presses(person, again, 'Leaderboard');
  const late = telegram().presses(person, again, 'Leaderboard');
  late.expired = true;
  const undelivered = () => outcomes.filter((each) => each.endsWith('undelivered'));
  await telegram().until(() => undelivered().length === 3);
  expect(outcomes).not.toContainEqual(expect.stringContaining('failed'));
});
