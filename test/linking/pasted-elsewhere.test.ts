import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { encodedSubmission } from '#http/pages/link/request';
import { isForLink, readLinkInput } from '#linking/input/link-input';
import { ALICE, linkScene } from '../support/link-scene.ts';
import { PASTED } from '../support/pasted-signatures.ts';
import { algorandWallet, ethereumWallet, solanaWallet } from '../support/wallet-keys.ts';

const scene = linkScene();
const WALLETS = [ethereumWallet('a'), solanaWallet('a'), algorandWallet('a')];

/** A text as the product gives it, and the wallet's signature. */
async function signedBy(keyed: (typeof WALLETS)[number]) {
  const { text } = await scene.linking.of(ALICE).beginByHand(keyed.wallet);
  return { text, address: keyed.wallet.address, signature: await keyed.sign(text) };
}

describe.each(WALLETS)('what is pasted after signing elsewhere, of $wallet.chain', (keyed) => {
  it.each(PASTED)('links the wallet by every way to hand it in: %s', async (_, pasted) => {
    const signed = await signedBy(keyed);
    const text = pasted(signed);
    const typed = readLinkInput(undefined, text);
    expect(typed.kind).toBe('signature');
    const { signature = '' } = typed as { signature?: string };
    expect(readLinkInput(`/link ${text}`, undefined)).toEqual(typed);
    expect(isForLink(text)).toBe(true);
    expect(encodedSubmission({ form: undefined, signature: text })).toMatchObject({ signature });
    const linked = await scene.linking.of(ALICE).handIn(signature);
    expect(linked.wallet).toEqual(keyed.wallet);
  });

  it.each<readonly [string, (signed: Awaited<ReturnType<typeof signedBy>>) => string]>([
    ['the text alone', ({ text }) => text],
    ['the text in one line', ({ text }) => text.replaceAll('\n', ' ')],
    ['a label alone', ({ address }) => `${address}\nsignature:`],
    ['JSON without a signature', ({ text, address }) => JSON.stringify({ address, msg: text })],
    ['the text and a bit', ({ text, signature }) => `${text}\n${signature.slice(0, 50)}`],
  ])('asks for the signature instead of giving another text: %s', async (_, pasted) => {
    const text = pasted(await signedBy(keyed));
    expect(readLinkInput(undefined, text)).toEqual({ kind: 'no-signature' });
    expect(isForLink(text)).toBe(true);
  });
});

/** Where pasted lines begin and end. */
const EDGES = [0, 1, 39, 40, 43, 44, 59, 60, 63, 64, 65, 66, 84, 85];

describe('a signature in base64', () => {
  it.each(PASTED)('may have any character anywhere: %s', async (_, pasted) => {
    const signed = await signedBy(algorandWallet('a'));
    const plain = Buffer.alloc(64, 'a signature').toString('base64');
    for (const edge of EDGES) {
      for (const each of '+/-_09aZ') {
        const signature = plain.slice(0, edge) + each + plain.slice(edge + 1);
        const typed = readLinkInput(pasted({ ...signed, signature }));
        expect([each, edge, typed]).toEqual([each, edge, { kind: 'signature', signature }]);
      }
    }
  });
});

describe('a signature in JSON', () => {
  it.each([
    ['bytes', (bytes: Buffer) => ({ signature: [...bytes] })],
    ['a buffer', (bytes: Buffer) => ({ signature: bytes.toJSON() })],
    ['a typed array', (bytes: Buffer) => ({ publicKey: 'x', signature: Uint8Array.from(bytes) })],
    ['one of a list', (bytes: Buffer) => ({ signatures: [bytes.toString('base64')] })],
  ])('may be %s', async (_, json) => {
    const keyed = solanaWallet('a');
    const { signature } = await signedBy(keyed);
    const text = JSON.stringify(json(Buffer.from(base58.decode(signature))));
    const typed = readLinkInput(text) as { signature?: string };
    await scene.linking.of(ALICE).handIn(typed.signature ?? '');
  });

  it('may be an Ethereum signature in parts', async () => {
    const { signature } = await signedBy(ethereumWallet('a'));
    const [r, s, v] = [
      signature.slice(0, 66),
      `0x${signature.slice(66, 130)}`,
      Number(`0x${signature.slice(130)}`),
    ];
    for (const last of [{ v }, { v: String(v) }, { yParity: v - 27 }]) {
      for (const json of [{ signature: { r, s, ...last } }, { r, s, ...last }]) {
        const typed = readLinkInput(JSON.stringify(json)) as { signature?: string };
        expect(typed.signature?.slice(0, 130)).toBe(signature.slice(0, 130));
      }
    }
  });

  it('may have lines as mail programs end them', async () => {
    const { signature } = await signedBy(ethereumWallet('a'));
    const text = (signature.match(/.{1,75}/g) ?? []).join('=\n');
    expect(readLinkInput(text)).toMatchObject({ signature });
  });

  it.each([
    '{',
    '{}',
    '{"signature":{}}',
    '{"signature":null}',
    '{"signature":[256]}',
    `{"a":${'['.repeat(5_000)}`,
  ])('may be none: %s', (text) => {
    expect(['unclear', 'no-signature']).toContain(readLinkInput(text).kind);
  });
});

describe('hashes and addresses', () => {
  const HASH = `0x${'1b'.repeat(32)}`;
  const { address } = ethereumWallet('a').wallet;
  it.each([
    `tx ${HASH} from ${address}`,
    `https://etherscan.io/tx/${HASH}`,
    `${address} to ${ethereumWallet('b').wallet.address}`,
  ])('are no signature: %s', (text) => {
    expect(readLinkInput(text).kind).not.toBe('signature');
  });
});
