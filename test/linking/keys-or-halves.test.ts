import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { looksSecret, mayBeHash } from '#linking/challenge/secrets';
import { isForLink, readLinkInput } from '#linking/input/link-input';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { ALICE, linkScene } from '../support/link-scene.ts';
import { algorandWallet, ethereumWallet, solanaWallet } from '../support/wallet-keys.ts';

/* 32 bytes in hex may be a key, a hash, or half of a signature. */

const [A, B, C] = ['1b', '2c', '3d'].map((pair) => pair.repeat(32)) as [string, string, string];

describe('several keys or hashes', () => {
  it.each([
    `my keys are 0x${A} and 0x${B}`,
    `0x${A} = first, 0x${B} = second`,
    `${A}\n${B}\n${C}`,
    `0x${A}, 0x${B}, 0x${C}`,
    `tx 0x${A}, then tx 0x${B}`,
    `Message hash\n0x${A}\nSafeMessage\n0x${B}\nConfirmations 1/2`,
    JSON.stringify({ messageHash: `0x${A}`, safeTxHash: `0x${B}` }, null, 2),
  ])('are warned of as what they may be: %s', (text) => {
    expect([looksSecret(text), mayBeHash(text)]).toEqual([true, true]);
    expect(readLinkInput(text)).toEqual({ kind: 'key-or-hash' });
    expect(isForLink(text)).toBe(true);
  });

  it.each([`key1: 0x${A}\nkey2: 0x${B}`, `mis claves: ${A} y ${B}`, `private keys: ${A} ${B}`])(
    'are a secret where they are called keys: %s',
    (text) => {
      expect(readLinkInput(text)).toEqual({ kind: 'secret' });
    },
  );

  it.each([
    `0x${A}\n0x${B}`,
    `/link ${A} ${B}`,
    `r: 0x${A} s: 0x${B}`,
    `firma 0x${A} 0x${B}`,
    JSON.stringify({ messageHash: `0x${C}`, r: `0x${A}`, s: `0x${B}`, v: 27 }),
  ])('may be the halves of a signature: %s', (text) => {
    expect(looksSecret(text)).toBe(false);
    expect(readLinkInput(text).kind).toBe('signature');
  });
});

describe('two words of 32 bytes', () => {
  const scene = linkScene();

  async function answered(wallet: string, locale = 'en') {
    const answerer = answererWith({ linksOf: (each) => scene.linking.of(each) });
    const call = { command: 'link', args: { wallet } };
    return cardText(await answerer.answer({ call, caller: ALICE, locale }));
  }

  it.each(['en', 'es'])(
    'are said to be perhaps keys if they prove nothing, in %s',
    async (locale) => {
      const { link } = textsFor(locale);
      expect(await answered(`0x${A}\n0x${B}`, locale)).toContain(link.mayBeKeys);
      await scene.linking.of(ALICE).beginByHand(algorandWallet('a').wallet);
      const told = await answered(`${A} ${B}`, locale);
      expect(told).toContain(link.mayBeKeys);
      expect(told).not.toContain(A.slice(0, 8));
      // What is certain is said of other signatures.
      expect(await answered(`${A}${B}`, locale)).not.toContain(link.mayBeKeys);
    },
  );

  it.each([solanaWallet, algorandWallet])(
    'prove a wallet if they are the halves of its signature, and of no other: %#',
    async (walletOf) => {
      for (const [seed, proves] of [
        ['b', false],
        ['a', true],
      ] as const) {
        const { wallet } = walletOf('a');
        const { text } = await scene.linking.of(ALICE).beginByHand(wallet);
        const told = await answered(halves(await walletOf(seed).sign(text)));
        expect(told.includes(wallet.address)).toBe(proves);
        expect(told.includes(textsFor('en').link.mayBeKeys)).toBe(!proves);
      }
    },
  );
});

/** In hex, in two lines. */
function halves(signature: string): string {
  const isBase64 = signature.endsWith('=');
  const bytes = isBase64 ? Buffer.from(signature, 'base64') : base58.decode(signature);
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^.{64}/, '$&\n');
}

describe('part of a signature', () => {
  it('of Algorand is told from a wrong address', async () => {
    const { link } = textsFor('en');
    for (let i = 0; i < 20; i += 1) {
      const signature = await algorandWallet('a').sign(`text ${i}`);
      for (const part of [signature.slice(0, 44), signature.slice(44), signature.slice(20, 60)]) {
        const hasSign = /[+/=]/.test(part);
        const read = readLinkInput(part);
        if (hasSign && !/[a-z]{7}/.test(part)) expect(read).toEqual({ kind: 'no-signature' });
        // Where a code or a signature is asked for, nobody is told that it's no address alone.
        const call = { command: 'link', args: { code: part } };
        const card = await answererWith().answer({ call, caller: ALICE, locale: 'en' });
        const told = cardText(card);
        expect([link.noSignature, link.unclear].some((each) => told.includes(each))).toBe(true);
      }
    }
  });

  it.each(['fathom/link/Page1', 'discord/telegram/Something9', 'a+b=c', 'https://x.example/A/b1'])(
    'is not seen in a path: %s',
    (text) => {
      expect(readLinkInput(text)).toEqual({ kind: 'unclear' });
    },
  );
});

it('A signature in hex may stand right behind the text that ends with a number', async () => {
  const { wallet, sign } = ethereumWallet('a');
  const signature = await sign('text');
  const text = `rep.example wants you to sign in with your Ethereum account:\n${wallet.address}\n\nThis is only a signature: it moves nothing.\n\nRequest ID: discord:123450`;
  for (const shown of [text + signature, text.replaceAll('\n', '') + signature]) {
    expect(readLinkInput(shown)).toEqual({ kind: 'signature', signature });
  }
});
