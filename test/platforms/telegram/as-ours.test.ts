import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { gate } from '#commands/gating/gate';
import { commands } from '#commands/index';
import { asOurs, readCommand } from '#platforms/telegram/answer/read-message';
import { defuseLinks } from '#platforms/telegram/render/rich-text';

const commandNamed = (name: string) => commands.find((each) => each.name === name);

function read(text: string, entities: Parameters<typeof readCommand>[0]['entities'] = []) {
  const typed = readCommand({ text, entities }, 'fathom_bot', () => true);
  if (typed === undefined) throw new Error('no command');
  const { name, rest, mentions } = asOurs(typed, commandNamed);
  return { name, rest, mentions };
}

it('A command is read as answers show it, where nobody can tap it', () => {
  const { name, rest } = read(defuseLinks('/gate bar @vera'));
  expect(name).toBe(gate.name);
  expect(sortWords(gate, textsFor('en'), rest)).toEqual({ action: 'bar', member: '@vera' });
});

describe('a command', () => {
  it.each([
    ['/gate_list', 'gate', 'list'],
    ['/gate_add tier:whale', 'gate', 'add tier:whale'],
    ['/gate_lista', 'gate', 'lista'],
    ['/gates list', 'gate', ' list'],
    ['/gates_list', 'gate', 'list'],
    ['/Gates añadir tier:whale', 'gate', ' añadir tier:whale'],
    ['/gate_ladder_on', 'gate', 'ladder on'],
    ['/link_vault', 'link', 'vault'],
    ['/top_here', 'top', 'here'],
    ['/privacy_announce_off', 'privacy', 'announce off'],
    ['/cards colour teal', 'card', ' colour teal'],
  ])('is ours with its action: %s', (text, name, rest) => {
    expect(read(text)).toMatchObject({ name, rest });
  });

  it.each([
    '/gate_keeper',
    '/top_users',
    '/gates',
    '/gates open',
    '/link_group',
    '/stats',
    '/rules list',
  ])("may be another bot's: %s", (text) => {
    expect(read(text).name).toBe(text.slice(1).split(' ')[0]);
  });

  it('still mentions whom it mentioned', () => {
    const user = { id: 6_100_000_007, is_bot: false, first_name: 'Ada' };
    const { rest, mentions } = read('/gate_why Ada', [
      { type: 'text_mention', offset: 10, length: 3, user },
    ]);
    const [{ offset = 0, length = 0, account } = {}] = mentions ?? [];
    expect(rest.slice(offset, offset + length)).toBe('Ada');
    expect(account).toBe('6100000007');
  });
});
