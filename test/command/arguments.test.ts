import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { readNamed } from '#command/arguments';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import type { Command } from '#commands/answering/command';
import { commands } from '#commands/index';
import { chains } from '#wallet/chains/index';
import { CHAINS, createWalletParser } from '#wallet/wallet';
import { anyString } from '../support/any-string.ts';
import { addressOf } from '../support/import-lines.ts';

const wallets = createWalletParser(chains);
const en = textsFor('en');
const es = textsFor('es');
/** What /gate can do, in the order of its choices. */
const GATE_ACTIONS = Object.values(en.gate.actions).join(', ');

function commandNamed(name: string): Command {
  return commands.find((command) => command.name === name) as Command;
}

function messageOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

describe('an address', () => {
  it('may be pasted twice, which means the same as once', () => {
    const address = addressOf('ethereum', 7);
    const args = sortWords(commandNamed('unlink'), en, `${address} ${address}`);
    expect(args).toEqual({ wallet: address });
  });

  it.each(CHAINS)('An address of %s may be copied with the text around it in a chat', (chain) => {
    const address = addressOf(chain, 7);
    for (const text of [
      `\`${address}\``,
      `"${address}"`,
      `“${address}”`,
      `\u200b${address}\u2060`,
    ]) {
      expect(wallets.hasForm(text)).toBe(true);
      for (const name of ['rep', 'unlink']) {
        const args = sortWords(commandNamed(name), en, text);
        expect(readNamed(commandNamed(name), en, wallets, args).wallet).toEqual({ chain, address });
      }
    }
  });
});

describe('words', () => {
  it('find their options in any order', () => {
    const word = fc.record({
      chain: fc.constantFrom('all', 'sol', 'eth', 'algo'),
      page: fc.integer({ min: 1, max: 999 }).map(String),
      wallet: fc
        .tuple(fc.constantFrom(...CHAINS), fc.nat(50))
        .map(([chain, number]) => addressOf(chain, number)),
    });
    fc.assert(
      fc.property(word, fc.shuffledSubarray(['chain', 'page', 'wallet'] as const), (all, order) => {
        const words = order.map((name) => all[name]);
        const expected = Object.fromEntries(order.map((name) => [name, all[name]]));
        expect(sortWords(commandNamed('top'), en, words.join(' '))).toEqual(expected);
      }),
    );
  });

  it('may name a choice in the reader’s language and in any case', () => {
    const read = (texts: typeof en, command: string, words: string) => {
      const found = commandNamed(command);
      return readNamed(found, texts, wallets, sortWords(found, texts, words));
    };
    expect(read(en, 'top', 'Solana 3')).toEqual({ chain: 'sol', page: 3 });
    expect(read(en, 'top', 'ALGO')).toEqual({ chain: 'algo' });
    expect(read(es, 'apikey', 'Crear mi web')).toEqual({ action: 'create', key: 'mi web' });
    expect(read(es, 'apikey', 'create mi web')).toEqual({
      action: 'create',
      key: 'mi web',
    });
  });

  it('Words of a text option are all that follow', () => {
    expect(sortWords(commandNamed('apikey'), en, 'my list of sites')).toEqual({
      key: 'my list of sites',
    });
  });

  it('Words that fit nowhere are named, with what to try', () => {
    const message = messageOf(() => sortWords(commandNamed('stats'), en, 'solona'));
    expect(message).toBe(en.errors.unexpected('solona', 'stats'));
    expect(messageOf(() => sortWords(commandNamed('stats'), es, '7'))).toContain('«7»');
    expect(messageOf(() => sortWords(commandNamed('top'), en, '1 2'))).toContain('“2”');
  });

  it('Words that no option accepts are the name of a wallet, with its spaces', () => {
    const sorted = (name: string, ...words: string[]) =>
      sortWords(commandNamed(name), en, words.join(' '));
    expect(sorted('rep', 'tidepool')).toEqual({ wallet: 'tidepool' });
    expect(sorted('rep', 'Agent', '47', 'sol')).toEqual({ wallet: 'Agent 47', chain: 'sol' });
    expect(sorted('top', 'sol', 'Captain', 'Nemo', '2')).toEqual({
      chain: 'sol',
      wallet: 'Captain Nemo',
      page: '2',
    });
    expect(sorted('badges', 'wallet:all')).toEqual({ wallet: 'all' });
    const address = addressOf('ethereum', 1);
    expect(messageOf(() => sorted('rep', 'nemo', address))).toContain('“nemo”');
    expect(messageOf(() => sorted('stats', 'nemo'))).toContain('“nemo”');
  });

  it('Words that look like an address go to the parser, which says what is wrong', () => {
    const rep = commandNamed('rep');
    const given = sortWords(rep, en, '0x1234');
    expect(given).toEqual({ wallet: '0x1234' });
    const wrong = messageOf(() => wallets.parse('0x1234'));
    expect(wrong).toBeDefined();
    expect(messageOf(() => readNamed(rep, en, wallets, given))).toContain(wrong);
  });

  it('Words of any kind never cause anything but a UserError', () => {
    const word = fc.oneof(anyString(), fc.constantFrom('1', 'sol', '0x', 'all'));
    fc.assert(
      fc.property(fc.constantFrom(...commands), fc.array(word), (command, words) => {
        messageOf(() => readNamed(command, en, wallets, sortWords(command, en, words.join(' '))));
      }),
    );
  });
});

describe('named arguments', () => {
  it('are parsed by their kinds, ignoring spaces around them', () => {
    const address = addressOf('ethereum', 1);
    expect(
      readNamed(commandNamed('badges'), en, wallets, {
        wallet: ` ${address.toLowerCase()} `,
        page: '2',
      }),
    ).toEqual({ wallet: { chain: 'ethereum', address }, page: 2 });
  });

  it.each([
    ['gate', {}, en.errors.missingChoice('action', GATE_ACTIONS)],
    ['gate', { action: '  ' }, en.errors.missingChoice('action', GATE_ACTIONS)],
    ['top', { page: '0' }, en.errors.notInRange('page', '1', '9,999,999', '0')],
    ['top', { page: '1.5' }, en.errors.notInRange('page', '1', '9,999,999', '1.5')],
    ['top', { page: '-1' }, en.errors.notInRange('page', '1', '9,999,999', '-1')],
    ['top', { page: '0x10' }, en.errors.notInRange('page', '1', '9,999,999', '0x10')],
    [
      'top',
      { chain: 'btc' },
      en.errors.notAChoice('chain', 'all, ethereum, solana, algorand', 'btc'),
    ],
    ['apikey', { key: 'x'.repeat(101) }, en.errors.tooLong('key', '100', `${'x'.repeat(59)}…`)],
  ])('Named arguments of /%s: %j', (name, given, message) => {
    expect(messageOf(() => readNamed(commandNamed(name), en, wallets, given))).toBe(message);
  });

  it('go by their names in the reader’s language', () => {
    const read = () => readNamed(commandNamed('top'), es, wallets, { page: '0' });
    expect(messageOf(read)).toBe(es.errors.notInRange('página', '1', '9.999.999', '0'));
  });
});
