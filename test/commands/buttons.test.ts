import { describe, expect, it } from 'vitest';
import { CALL_CODE_MAX, decodeCall, encodeCall, fitsButton } from '#command/call-code';
import type { Call, Card } from '#command/cards/card';
import type { OptionSpec } from '#command/command-spec';
import { LANGUAGES } from '#command/texts/index';
import type { Command } from '#commands/answering/command';
import { commands } from '#commands/index';
import { CHAINS } from '#wallet/wallet';
import { answererWith, ask, CALLER, fixedKeys } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, type FixedWallet, fixedWallets, NOW } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';

/** Wallets of every chain, with as many badges and activities as fill the most pages. */
function crowdedWallets(): FixedWallet[] {
  const [, whale] = fixedWallets();
  const badge = whale?.badges?.[0];
  return CHAINS.flatMap((chain) =>
    Array.from({ length: 40 }, (_, i): FixedWallet => {
      const badges = badge === undefined ? [] : Array.from({ length: 100 }, () => badge);
      const activities = whale?.activities ?? [];
      return { chain, address: addressOf(chain, i), score: i % 7, badges, activities };
    }),
  );
}

const answerer = answererWith({
  source: new FixedSource(crowdedWallets()),
  keysOf: () => fixedKeys(['one', 'a label as long as it may be'.padEnd(100, '!')]),
});

/** All buttons and menu choices of a card. */
function callsOf(card: Card): Call[] {
  const buttons = card.actions.flat().flatMap((each) => ('call' in each ? [each.call] : []));
  return [...buttons, ...(card.menu?.choices ?? []).map((choice) => choice.call)];
}

async function everyCard(): Promise<Card[]> {
  const cards: Card[] = [];
  for (const chain of CHAINS) {
    const wallet = addressOf(chain, 7);
    for (const page of ['1', '2', '3', '9999']) {
      cards.push(await ask(answerer, 'badges', { wallet, page }));
      cards.push(await ask(answerer, 'activity', { wallet, page }));
    }
    cards.push(await ask(answerer, 'rep', { wallet }));
    cards.push(await ask(answerer, 'top', { wallet }));
  }
  for (const chain of ['all', 'eth', 'sol', 'algo']) {
    for (const page of ['1', '2', '3', '4', '9999999']) {
      cards.push(await ask(answerer, 'top', { chain, page }));
    }
  }
  for (const action of ['list', 'revoke']) cards.push(await ask(answerer, 'apikey', { action }));
  cards.push(await ask(answerer, 'stats'), await ask(answerer, 'help'));
  return cards;
}

describe('the buttons of all cards', () => {
  it("fit into a button's data and survive a round trip", async () => {
    let seen = 0;
    for (const call of (await everyCard()).flatMap(callsOf)) {
      const command = commands.find((each) => each.name === call.command);
      if (command === undefined) throw new Error(`a button leads to ${call.command}`);
      const code = encodeCall(call, command, CALLER);
      expect(code.length).toBeLessThanOrEqual(CALL_CODE_MAX);
      expect(decodeCall(code, commands)?.call).toEqual(call);
      seen += 1;
    }
    expect(seen).toBeGreaterThan(150);
  });

  it('lead to an answer, not to an error', async () => {
    const calls = new Map<string, Call>();
    for (const call of (await everyCard()).flatMap(callsOf)) calls.set(JSON.stringify(call), call);
    for (const call of calls.values()) {
      const card = await ask(answerer, call.command, { ...call.args });
      expect(card.tone, cardText(card)).not.toBe('error');
    }
  });

  it('have distinct data, at most five per row and five rows with the menu', async () => {
    for (const card of await everyCard()) {
      const codes = callsOf(card).map((call) => JSON.stringify(call));
      expect(new Set(codes).size).toBe(codes.length);
      expect(card.actions.length + (card.menu === undefined ? 0 : 1)).toBeLessThanOrEqual(5);
      for (const row of card.actions) {
        expect(row.length).toBeGreaterThan(0);
        expect(row.length).toBeLessThanOrEqual(5);
      }
      expect(card.menu?.choices.length ?? 1).toBeLessThanOrEqual(25);
    }
  });

  it.each(commands)(
    'have room after /$name with the longest of any two options',
    async (command) => {
      for (const some of pairsOf(command.options)) {
        const args = Object.fromEntries(
          some.map((option) => [option.name, longestOf(option) ?? '']),
        );
        for (const call of callsOf(await ask(answerer, command.name, args))) {
          const to = commands.find(({ name }) => name === call.command) as Command;
          expect(fitsButton(call, to), JSON.stringify(call)).toBe(true);
        }
      }
    },
  );

  it.each(commands.filter(({ subcommands }) => subcommands !== undefined))(
    'have room for an action of /$name with any other option',
    (command) => {
      const [action, ...others] = command.options as [OptionSpec, ...OptionSpec[]];
      for (const option of others) {
        const value = longestOf(option);
        if (value === undefined) continue;
        const args = { [action.name]: longestOf(action) ?? '', [option.name]: value };
        expect(fitsButton({ command: command.name, args }, command), option.name).toBe(true);
      }
    },
  );
});

it('Wallets of one name are all listed, with buttons only where these have room', async () => {
  const twins = [1, 2].map(
    (i): FixedWallet => ({
      chain: 'algorand',
      address: addressOf('algorand', i),
      name: 'Pat',
      score: i,
    }),
  );
  const asked = answererWith({ source: new FixedSource(twins) });
  const short = await ask(asked, 'why', { wallet: 'Pat' });
  const long = await ask(asked, 'why', { wallet: 'Pat', member: CALLER.id });
  expect(callsOf(short)).toHaveLength(twins.length);
  expect(callsOf(long)).toEqual([]);
  for (const { address } of twins) expect(cardText(long)).toContain(address);
});

describe.each(LANGUAGES)('errors in %s', (language) => {
  it('link to help', async () => {
    const card = await ask(answerer, 'badges', { page: '0' }, language);
    expect(callsOf(card)).toEqual([{ command: 'help', args: {} }]);
  });
});

it("A card shows the record's time if the source does not know its own", async () => {
  const source = new FixedSource(crowdedWallets());
  source.asOf = undefined;
  const wallet = addressOf('ethereum', 7);
  const card = await ask(answererWith({ source }), 'rep', { wallet });
  expect(card.footer).toContainEqual({ time: NOW - 600, style: 'clock' });
});

/** Every two of a command's options, and each alone, that buttons carry: what's in many words is typed. */
function pairsOf(options: readonly OptionSpec[]): OptionSpec[][] {
  const short = options.filter((option) => longestOf(option) !== undefined);
  return short.flatMap((one, i) => short.slice(i).map((other) => [one, other]));
}

/** The longest value of an option; undefined if it's only ever typed. */
function longestOf(option: OptionSpec): string | undefined {
  switch (option.kind) {
    case 'wallet':
      return addressOf('algorand', 1);
    case 'choice':
      return option.choices.toSorted((a, b) => b.length - a.length)[0];
    case 'integer':
      return String(option.most);
    case 'member':
    case 'role':
    case 'channel':
      return '9'.repeat(19);
    case 'text':
      return option.isWord ? 'x'.repeat(option.longest) : undefined;
    case 'badge':
    case 'picture':
      return undefined;
  }
}
