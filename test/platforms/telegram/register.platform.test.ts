import { expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { answererWith } from '../../support/ask.ts';
import { guard } from '../../support/telegram/gate.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const LISTS = 4 * LANGUAGES.length;

it('The bot writes the lists of every scope and language once', async () => {
  const first = start();
  await telegram().nth('setMyCommands', LISTS);
  await first.stop();
  const lists = telegram().made('setMyCommands');
  expect(
    lists.map((each) => `${JSON.stringify(each.scope)} ${each.language_code}`),
  ).toMatchSnapshot();
  start();
  await telegram().nth('getMyCommands', 2 * LISTS);
  expect(telegram().made('setMyCommands')).toHaveLength(LISTS);
});

it('The bot writes a changed list again', async () => {
  const first = start();
  await telegram().nth('setMyCommands', LISTS);
  await first.stop();
  start({ answerer: answererWith({ commands: commands.slice(0, 2) }) });
  await telegram().nth('setMyCommands', 2 * LISTS);
  const [list] = telegram().made('setMyCommands').slice(-LISTS);
  expect(list?.commands).toHaveLength(2);
});

it("The bot doesn't offer private commands in groups", async () => {
  start();
  await telegram().nth('setMyCommands', LISTS);
  const groups = /^all_(?:group_chats|chat_administrators)$/;
  for (const [scope, names] of listsByScope()) {
    expect(names.includes('apikey')).toBe(!groups.test(scope));
  }
});

it("The bot offers moderators' commands to groups' administrators only, with all others", async () => {
  start({ answerer: answererWith({ commands: [guard, ...commands.slice(0, 2)] }) });
  await telegram().nth('setMyCommands', LISTS);
  const others = commands.slice(0, 2).map(({ name }) => name);
  for (const [scope, names] of listsByScope()) {
    const isTheirs = scope === 'all_chat_administrators';
    expect(names).toEqual(isTheirs ? ['guard', ...others] : others);
  }
});

/** The written lists: scopes with names of commands. */
function listsByScope(): [string, string[]][] {
  return telegram()
    .made('setMyCommands')
    .map(({ scope, commands: list }) => [
      (scope as { type: string }).type,
      (list as { command: string }[]).map((each) => each.command),
    ]);
}

it("The bot answers although the lists can't be written, and writes them later", async () => {
  telegram().cause('setMyCommands', { status: 400, description: 'Bad Request: no' }, 2);
  start();
  const person = telegram().world.person();
  telegram().says(person, '/stats');
  await telegram().nth('sendMessage', 1);
  await telegram().nth('setMyCommands', LISTS);
});

it('The bot has sentences short enough for the alert over a chat', () => {
  for (const language of LANGUAGES) {
    const { errors, chat } = textsFor(language);
    expect(errors.notYours.length).toBeLessThanOrEqual(200);
    expect(errors.oldButton.length).toBeLessThanOrEqual(200);
    expect(chat.sentPrivately.length).toBeLessThanOrEqual(200);
  }
});
