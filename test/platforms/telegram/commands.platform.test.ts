import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { NEWCOMER, TITAN, UNSEEN, WHALE } from '../../support/fixed-source.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

it('The bot answers every command in a private chat', async () => {
  start();
  const person = telegram().world.person();
  const asked = ['/start', '/help', '/stats', '/top', `/rep ${WHALE.address}`];
  asked.push(`/badges ${WHALE.address}`, `/activity ${WHALE.address}`, '/apikey');
  for (const [i, text] of asked.entries()) {
    telegram().says(person, text);
    const { chat_id: chat, reply_parameters: reply } = await telegram().nth('sendMessage', i + 1);
    expect(chat).toBe(person.user.id);
    expect(reply).toBeUndefined();
  }
});

it('The bot renders a card with its emblem, figures and entities', async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, `/rep ${WHALE.address}`);
  expect(await telegram().nth('sendMessage', 1)).toMatchSnapshot({
    chat_id: expect.any(Number),
  });
});

it('The bot answers Spanish users in Spanish', async () => {
  start();
  const person = telegram().world.person({ language: 'es' });
  telegram().says(person, '/top');
  const { text } = await telegram().nth('sendMessage', 1);
  expect(text).toContain('12.345');
});

it('A command is known by another name, where it can’t be another bot’s', async () => {
  start();
  const person = telegram().world.person({ language: 'es' });
  const group = telegram().world.group();
  const { title } = textsFor('es').help;
  telegram().says(person, '/ayuda');
  expect((await telegram().nth('sendMessage', 1)).text).toContain(title);
  telegram().says(person, '/Estadísticas');
  expect((await telegram().nth('sendMessage', 2)).text).toContain(textsFor('es').stats.title);
  telegram().says(person, '/ayuda tarjeta');
  expect((await telegram().nth('sendMessage', 3)).text).toContain('/card');
  telegram().says(person, '/ayuda', { in: group });
  telegram().says(person, '/ayuda@fathom_bot', { in: group });
  expect((await telegram().nth('sendMessage', 4)).text).toContain(title);
  expect(telegram().made('sendMessage')).toHaveLength(4);
});

it.each(['/gate-add tier:whale', '/gate—add tier:whale', '/gate@fathom_bot-add tier:whale'])(
  'A dash behind a command stands for the space: %s',
  async (typed) => {
    start();
    const group = telegram().world.group();
    telegram().says(telegram().world.person(), typed, { in: group });
    expect(await telegram().nth('sendMessage', 1)).toBeDefined();
  },
);

it('The bot replies in a group, and in the same topic', async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group({ topics: true });
  const { kept } = telegram().says(person, '/stats', { in: group, topic: 77 });
  const sent = await telegram().nth('sendMessage', 1);
  expect(sent).toMatchObject({
    chat_id: group.id,
    message_thread_id: 77,
    reply_parameters: { message_id: kept.id, allow_sending_without_reply: true },
  });
});

it('The bot sends no thread back in a group without topics', async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group();
  telegram().says(person, '/stats', { in: group, extra: { message_thread_id: 5 } });
  expect(await telegram().nth('sendMessage', 1)).not.toHaveProperty('message_thread_id');
});

it('The bot accepts its own name in any case, and ignores commands for others', async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group();
  telegram().says(person, '/stats@other_bot', { in: group });
  telegram().says(person, 'what about /stats', { in: group });
  telegram().says(person, '/nothing_of_ours', { in: group });
  telegram().says(person, '/Stats@Fathom_Bot', { in: group });
  telegram().says(person, '/nothing@fathom_bot', { in: group });
  await telegram().nth('sendMessage', 2);
  const [stats, unknown] = telegram().made('sendMessage');
  expect(stats?.text).toContain(EN.stats.title);
  expect(unknown?.text).toContain(EN.errors.unknownCommand('').split('/')[0]);
});

it.each([': ', ', ', '. '])('The bot reads a command with “%s” behind its name', async (sign) => {
  start();
  telegram().says(telegram().world.person(), `/rep${sign}${WHALE.address}`);
  expect((await telegram().nth('sendMessage', 1)).text).toContain(WHALE.address);
});

it('The bot accepts arguments in any order, and reports what fits nowhere', async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, '/top 2 solana');
  expect((await telegram().nth('sendMessage', 1)).text).toContain('Solana');
  telegram().says(person, '/top nonsense');
  expect((await telegram().nth('sendMessage', 2)).text).toContain('nonsense');
  telegram().says(person, `/rep ${UNSEEN.address}`);
  expect((await telegram().nth('sendMessage', 3)).text).toContain(EN.neverSeen.title);
});

it('The bot takes the address from the replied-to message', async () => {
  start();
  const [person, other] = [telegram().world.person(), telegram().world.person()];
  const group = telegram().world.group();
  const words = `Mine is (${TITAN.address}), and that is my friend's: ${WHALE.address}`;
  const { kept } = telegram().says(other, words, { in: group });
  telegram().says(person, '/rep', { in: group, replyTo: kept });
  expect((await telegram().nth('sendMessage', 1)).text).toContain('12,345');
  telegram().says(person, `/rep ${NEWCOMER.address}`, { in: group, replyTo: kept });
  expect((await telegram().nth('sendMessage', 2)).text).not.toContain('12,345');
});

it('The bot prefers the quoted part', async () => {
  start();
  const person = telegram().world.person();
  const { kept } = telegram().says(person, `${TITAN.address} ${WHALE.address}`);
  const quote = { text: WHALE.address, position: TITAN.address.length + 1, is_manual: true };
  telegram().says(person, '/rep', { replyTo: kept, extra: { quote } as never });
  await telegram().until(() => telegram().made('sendMessage').length === 2);
  expect(telegram().made('sendMessage')[1]?.text).toContain('7,420');
});

it('The bot follows deep links to a command, otherwise to help', async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, `/start rep_${TITAN.address}`);
  expect((await telegram().nth('sendMessage', 1)).text).toContain('12,345');
  telegram().says(person, '/start apikey');
  expect((await telegram().nth('sendMessage', 2)).text).toContain(EN.apikey.title);
  telegram().says(person, '/start friend-of-a-friend');
  expect((await telegram().nth('sendMessage', 3)).text).toContain(EN.help.title);
});

it('The bot answers a bare address in a private chat, and anything else with help', async () => {
  start();
  const person = telegram().world.person();
  telegram().says(person, `look: ${TITAN.address}`);
  expect((await telegram().nth('sendMessage', 1)).text).toContain('12,345');
  telegram().says(person, 'hello?');
  expect((await telegram().nth('sendMessage', 2)).text).toContain(EN.help.title);
});

it('The bot ignores bots, and messages sent through one', async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group();
  const bot = { id: 5, is_bot: true, first_name: 'Other', username: 'other_bot' };
  telegram().says(person, '/stats', { in: group, extra: { from: bot } as never });
  telegram().says(person, '/stats', { in: group, extra: { via_bot: bot } });
  telegram().says(person, '/top', { in: group });
  expect((await telegram().nth('sendMessage', 1)).text).toContain('Leaderboard');
});

it("The bot answers an update once, however often it's delivered", async () => {
  start();
  const person = telegram().world.person();
  const { update } = telegram().says(person, '/stats');
  telegram().repeat(update);
  await telegram().nth('sendMessage', 1);
  telegram().repeat(update);
  telegram().says(person, '/top');
  expect((await telegram().nth('sendMessage', 2)).text).toContain('Leaderboard');
});

it.each(['/stats@Depth_bot', '@Depth_bot /stats', '/stats @Depth_bot'])(
  'A command that calls the bot by the name that its owner has just given it is answered: %s',
  async (text) => {
    start();
    const { world } = telegram();
    const [person, group] = [world.person(), world.group()];
    telegram().says(person, '/stats@fathom_bot', { in: group });
    await telegram().nth('sendMessage', 1);
    world.botUsername = 'depth_bot';
    telegram().says(person, text, { in: group });
    expect((await telegram().nth('sendMessage', 2)).text).toContain(EN.stats.title);
  },
);

it('Commands of other bots lead to few questions for the own name, and stay unanswered', async () => {
  start();
  const { world } = telegram();
  const [person, group] = [world.person(), world.group()];
  telegram().says(person, '/stats@fathom_bot', { in: group });
  await telegram().nth('sendMessage', 1);
  const before = telegram().made('getMe').length;
  for (const bot of ['one_bot', 'two_bot', 'one_bot']) {
    telegram().says(person, `/stats@${bot}`, { in: group });
  }
  telegram().says(person, '/top', { in: group });
  expect((await telegram().nth('sendMessage', 2)).text).toContain('Leaderboard');
  expect(telegram().made('getMe').length - before).toBe(1);
});
