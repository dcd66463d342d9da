import { describe, expect, it } from 'vitest';
import type { Call } from '#core/card';
import { answererWith, ask } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, type FixedWallet } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';

const [A, B, C] = [1, 2, 3].map((number) => addressOf('ethereum', number)) as [
  string,
  string,
  string,
];

function answererOver(...names: readonly string[]) {
  const wallets = names.map(
    (name, i): FixedWallet => ({
      chain: 'ethereum',
      address: addressOf('ethereum', i + 1),
      name,
      score: 1_000 - i,
    }),
  );
  return answererWith({ source: new FixedSource(wallets) });
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
    expect(cardText(card)).toContain('No wallet is called “neemo”');
    const spanish = await ask(answererOver('nemo'), 'rep', { wallet: 'neemo' }, 'es');
    expect(cardText(spanish)).toContain('Ninguna cartera se llama «neemo»');
  });

  it('is never what looks like an address, whoever uses that as a name', async () => {
    const [stranger, wrong] = [
      addressOf('ethereum', 9),
      A.replace(/[a-f]/, (c) => c.toUpperCase()),
    ];
    const answerer = answererOver('nemo', stranger, wrong);
    expect(cardText(await ask(answerer, 'rep', { wallet: stranger }))).toContain(
      'No activity found',
    );
    expect(cardText(await ask(answerer, 'rep', { wallet: wrong }))).toContain(
      'wrong checksum (EIP-55)',
    );
    expect(cardText(await ask(answerer, 'rep', { wallet: `\`${A}\`` }))).toContain('nemo');
    // However it was pasted.
    for (const text of [
      `\`${stranger}\``,
      `<${stranger}>`,
      `https://e.example/address/${stranger}`,
    ]) {
      const wallet = `“${text}”`;
      expect(cardText(await ask(answererOver(text, wallet), 'rep', { wallet }))).toContain(
        'No activity found',
      );
    }
  });
});
