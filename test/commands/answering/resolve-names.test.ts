import { describe, expect, it } from 'vitest';
import { messageOf, UserError } from '#base/errors';
import type { Call } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { NO_NAMES, type VerifiedNames } from '#names/verified-names';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { answererWith, ask } from '../../support/ask.ts';
import { cardText } from '../../support/card-text.ts';
import { FixedSource, type FixedWallet } from '../../support/fixed-source.ts';
import { addressOf } from '../../support/import-lines.ts';

const EN = textsFor('en');

const [A, B, C] = [1, 2, 3].map((number) => addressOf('ethereum', number)) as [
  string,
  string,
  string,
];

/** What the parser says of an address that is none. */
function whyNoWallet(text: string): string {
  try {
    return createWalletParser(chains).parse(text).address;
  } catch (error) {
    return messageOf(error);
  }
}

function answererOver(...names: readonly string[]) {
  return answererKnowing(NO_NAMES, ...names);
}

function answererKnowing(verified: VerifiedNames, ...names: readonly string[]) {
  const wallets = names.map(
    (name, i): FixedWallet => ({
      chain: 'ethereum',
      address: addressOf('ethereum', i + 1),
      name,
      score: 1_000 - i,
    }),
  );
  return answererWith({ source: new FixedSource(wallets), names: verified });
}

describe('a display name given for a wallet', () => {
  it('is resolved if it means one wallet, preferring the exact spelling', async () => {
    const answerer = answererOver('nemo', 'Nemo', 'dory');
    for (const command of ['rep', 'badges', 'activity', 'top']) {
      expect(cardText(await ask(answerer, command, { wallet: 'DORY' }))).toContain(C);
    }
    expect(cardText(await ask(answerer, 'rep', { wallet: 'Nemo' }))).toContain(`\`${B}\``);
    expect(cardText(await ask(answerer, 'rep', { wallet: 'nemo' }))).toContain(`\`${A}\``);
  });

  it('asks which wallet is meant, with buttons that keep the other arguments', async () => {
    const answerer = answererOver('nemo', 'Nemo', 'dory');
    const card = await ask(answerer, 'top', { wallet: 'NEMO', chain: 'eth' });
    expect(cardText(card)).toContain(`- *nemo* · 🐬 Dolphin · 1,000 points\n  \`${A}\``);
    const calls = card.actions.flat().map((action) => ('call' in action ? action.call : undefined));
    expect(calls).toEqual(
      [A, B].map((wallet): Call => ({ command: 'top', args: { wallet, chain: 'eth' } })),
    );
    expect(card.private).toBe(false);
    expect((await ask(answerer, 'unlink', { wallet: 'NEMO' })).private).toBe(true);
  });

  it('reports privately that nobody has it', async () => {
    const card = await ask(answererOver('nemo'), 'rep', { wallet: 'neemo' });
    expect(card.private).toBe(true);
    expect(cardText(card)).toContain(textsFor('en').errors.unknownName('neemo'));
    const spanish = await ask(answererOver('nemo'), 'rep', { wallet: 'neemo' }, 'es');
    expect(cardText(spanish)).toContain(textsFor('es').errors.unknownName('neemo'));
  });

  it('is never what looks like an address, whoever uses that as a name', async () => {
    const [stranger, wrong] = [
      addressOf('ethereum', 9),
      A.replace(/[a-f]/, (c) => c.toUpperCase()),
    ];
    const answerer = answererOver('nemo', stranger, wrong);
    expect(cardText(await ask(answerer, 'rep', { wallet: stranger }))).toContain(
      EN.neverSeen.title,
    );
    const refusal = await ask(answerer, 'rep', { wallet: wrong });
    expect(cardText(refusal)).toContain(`“${wrong}”: ${whyNoWallet(wrong)}`);
    expect(cardText(await ask(answerer, 'rep', { wallet: `\`${A}\`` }))).toContain('nemo');
    // However it was pasted.
    for (const text of [
      `\`${stranger}\``,
      `<${stranger}>`,
      `https://e.example/address/${stranger}`,
    ]) {
      const wallet = `“${text}”`;
      expect(cardText(await ask(answererOver(text, wallet), 'rep', { wallet }))).toContain(
        EN.neverSeen.title,
      );
    }
  });
});

describe("a name service's name given for a wallet", () => {
  const ens = (walletOf: VerifiedNames['walletOf']): VerifiedNames => ({
    ...NO_NAMES,
    hasForm: (text) => text.endsWith('.eth'),
    walletOf,
  });
  const isOf = (address: string) => ens(async () => ({ chain: 'ethereum', address }));
  const fails = (error: Error) => ens(() => Promise.reject(error));

  it('is resolved by every command that takes a wallet', async () => {
    const answerer = answererKnowing(isOf(B), 'nemo', 'dory');
    for (const command of ['rep', 'badges', 'activity', 'top', 'why']) {
      expect(cardText(await ask(answerer, command, { wallet: 'd.eth' }))).toMatch(
        new RegExp(`dory|${B.slice(0, 6)}`),
      );
    }
    expect(cardText(await ask(answerer, 'rep', { wallet: 'd.eth' }))).toContain(`\`${B}\``);
    expect(await answerer.suggest({ platform: 'discord', id: '1' }, 'd.eth')).toEqual([]);
  });

  it('asks which wallet is meant if the community calls another one so', async () => {
    const card = await ask(answererKnowing(isOf(C), 'd.eth', 'dory'), 'rep', { wallet: 'd.eth' });
    expect(cardText(card)).toContain(`${EN.rep.registered('ENS')}\n  \`${C}\``);
    const calls = card.actions.flat().map((action) => ('call' in action ? action.call : undefined));
    expect(calls.map((call) => call?.args.wallet)).toEqual([A, C]);
    const same = await ask(answererKnowing(isOf(A), 'd.eth'), 'rep', { wallet: 'd.eth' });
    expect(same.actions.length).toBeGreaterThan(0);
    expect(cardText(same)).toContain(`\`${A}\``);
  });

  it.each([
    ['name-malformed', ['d.eth', 'ENS'], 'isn’t a valid ENS name', 'no es un nombre válido de ENS'],
    ['name-not-found', ['d.eth', 'ENS'], 'doesn’t lead to a wallet, according to ENS', 'según ENS'],
    ['name-unsupported', ['d.eth', '.eth'], 'end in .eth aren’t looked up', 'terminan en .eth'],
    ['name-renamed', ['.sns', 'd.sns'], 'If you mean “d.sns”, enter', 'Si te refieres a «d.sns»'],
    [
      'name-unchecked',
      ['ENS', 'd.eth'],
      'can’t look up the ENS name “d.eth”',
      'en ENS el nombre «d.eth»',
    ],
  ] as const)('says why it cannot be: %s', async (code, values, english, spanish) => {
    const error = new UserError(code, 'no', [], { values });
    const card = await ask(answererKnowing(fails(error)), 'rep', { wallet: 'd.eth' });
    expect(card.private).toBe(true);
    expect(cardText(card)).toContain(english);
    const other = await ask(answererKnowing(fails(error)), 'rep', { wallet: 'd.eth' }, 'es');
    expect(cardText(other)).toContain(spanish);
    // The community's own name doesn't need the service.
    const own = await ask(answererKnowing(fails(error), 'd.eth'), 'rep', { wallet: 'd.eth' });
    expect(cardText(own)).toContain(`\`${A}\``);
  });

  it('is suggested from what is kept, with its address', async () => {
    const answerer = answererKnowing(
      { ...isOf(B), keptWalletOf: () => ({ chain: 'ethereum', address: B }) },
      'nemo',
    );
    const caller = { platform: 'discord', id: '1' } as const;
    expect(await answerer.suggest(caller, 'd.eth')).toEqual([
      { label: `d.eth · ${B.slice(0, 6)}…${B.slice(-4)}`, address: B },
    ]);
  });
});
