import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { BAD_COPIES, type ProofErrorCode } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { link } from '#commands/linking/link';
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
    // Its labels may be called as the options are.
    const { wallet, code } = sortWords(link, textsFor('en'), text);
    expect(readLinkInput(code, wallet)).toEqual(typed);
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

it('an Ethereum signature may stand in lines behind addresses', async () => {
  const { address, signature } = await signedBy(ethereumWallet('a'));
  const text = [address, address, signature.slice(0, 66), signature.slice(66)].join('\n');
  expect(readLinkInput(text)).toEqual({ kind: 'signature', signature });
});

describe('a bad copy of a signature', () => {
  it.each(['en', 'es'])('is answered with how to send it again, in %s', async (language) => {
    const { linkErrors, proofErrors } = textsFor(language);
    const adviceOf = (code: ProofErrorCode) => linkErrors[code].replace(proofErrors[code], '');
    const keyed = solanaWallet('a');
    const { signature } = await signedBy(keyed);
    const bad = Buffer.alloc(60, 1).toString('base64');
    const refusal = await scene.linking
      .of(ALICE)
      .handIn(bad)
      .catch((error) => error.code);
    expect(BAD_COPIES).toContain(refusal);
    expect(new Set(BAD_COPIES.map(adviceOf)).size).toBe(1);
    expect(adviceOf(refusal)).not.toBe(adviceOf('signature-wrong'));
    // As it says, the text is still valid.
    await scene.linking.of(ALICE).handIn(signature);
  });
});

/** Where pasted lines begin and end. */
const EDGES = [0, 1, 39, 40, 43, 44, 59, 60, 63, 64, 65, 66, 84, 85];
const CHARACTERS = [...'+/-_09aZ'];

/** Each edge with each character, dealt to the forms in turn: all for each form would take half a minute. */
const dealt = PASTED.map(([name, pasted], form) => {
  const pairs = EDGES.flatMap((edge, i) =>
    CHARACTERS.filter((_, j) => (form + i + j) % 4 === 0).map((each) => ({ edge, each })),
  );
  return [name, pasted, pairs] as const;
});

describe('a signature in base64', () => {
  it.each(dealt)('may have any character anywhere: %s', async (_, pasted, pairs) => {
    const signed = await signedBy(algorandWallet('a'));
    const plain = Buffer.alloc(64, 'a signature').toString('base64');
    for (const { edge, each } of pairs) {
      const signature = plain.slice(0, edge) + each + plain.slice(edge + 1);
      const typed = readLinkInput(pasted({ ...signed, signature }));
      expect([each, edge, typed]).toEqual([each, edge, { kind: 'signature', signature }]);
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

  it('may be what a Safe’s service has of its owners, who are joined in the order of the contract', () => {
    const confirmed = ['f', '1', 'A'].map((digit) => ({
      owner: `0x${digit.repeat(40)}`,
      signature: `0x${digit.toLowerCase().repeat(130)}`,
      signatureType: 'EOA',
    }));
    const joined = `0x${['1', 'a', 'f'].map((digit) => digit.repeat(130)).join('')}`;
    const message = { messageHash: `0x${'ab'.repeat(32)}`, confirmations: confirmed };
    for (const shown of [{ ...message, preparedSignature: joined }, message, { data: message }]) {
      expect(readLinkInput(JSON.stringify(shown, null, 2))).toEqual({
        kind: 'signature',
        signature: joined,
      });
    }
    // One whose signature is in several parts.
    const contract = { owner: `0x${'2'.repeat(40)}`, signature: `0x${'2'.repeat(400)}` };
    const others = { ...message, confirmations: [...confirmed, contract] };
    expect(readLinkInput(JSON.stringify(others))).not.toMatchObject({ signature: joined });
  });

  it('may be what its apps, its library and its owners show of several, or a list of messages with ours', async () => {
    const { text: message } = await signedBy(ethereumWallet('a'));
    const [first, second] = ['1', 'f'].map((digit) => ({
      owner: `0x${digit.repeat(40)}`,
      signature: `0x${digit.repeat(128)}1c`,
    })) as [{ owner: string; signature: string }, { owner: string; signature: string }];
    const listed = [second, first];
    const inApps = listed.map(({ owner, signature }) => ({
      owner: { value: owner, name: null, logoUri: null },
      signature,
    }));
    const other = { message: 'Another', preparedSignature: `0x${'3'.repeat(130)}` };
    const ours = { message, confirmations: inApps, preparedSignature: null };
    const lines = listed.map(({ owner, signature }) => `${owner}: ${signature}`);
    for (const shown of [
      ours,
      { count: 2, results: [other, ours] },
      listed,
      inApps,
      listed.map(({ owner, signature }) => ({ signer: owner, data: signature })),
      [first.signature, second.signature],
      lines.join('\n'),
      `1. ${first.signature}\n2. ${second.signature}`,
      `${first.signature},\n${second.signature}`,
    ]) {
      const text = typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2);
      expect(readLinkInput(text), text).toEqual({
        kind: 'signature',
        signature: `0x${'1'.repeat(128)}1c${'f'.repeat(128)}1c`,
      });
    }
    const besideKey = `publicKey: 0x04${'2'.repeat(128)}\nsignature: ${first.signature}`;
    expect(readLinkInput(besideKey)).toMatchObject({ signature: first.signature });
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

  it.each<readonly [string, (r: string, s: string, v: number) => string]>([
    ['as Ledger’s library returns them', (r, s, v) => JSON.stringify({ v, s, r })],
    ['as a console shows that', (r, s, v) => inspect({ v, s, r })],
    ['in capitals', (r, s, v) => `R: 0x${r}\nS: 0x${s}\nV: ${v}`],
  ])('may be an Ethereum signature in parts: %s', async (_, printed) => {
    const { signature } = await signedBy(ethereumWallet('a'));
    const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)];
    const typed = readLinkInput(printed(r, s, Number(`0x${signature.slice(130)}`)));
    expect(typed).toEqual({ kind: 'signature', signature });
  });

  it('may be an Ethereum signature whose second word has the parity', async () => {
    const { signature } = await signedBy(ethereumWallet('a'));
    const { r, yParityAndS } = compactOf(signature);
    const typed = readLinkInput(JSON.stringify({ r, yParityAndS })) as { signature?: string };
    await scene.linking.of(ALICE).handIn(typed.signature ?? '');
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

/** https://eips.ethereum.org/EIPS/eip-2098 */
function compactOf(signature: string) {
  const isOdd = signature.endsWith('1c');
  const s = BigInt(`0x${signature.slice(66, 130)}`) | (isOdd ? 1n << 255n : 0n);
  return { r: signature.slice(0, 66), yParityAndS: `0x${s.toString(16).padStart(64, '0')}` };
}

describe.each([ethereumWallet('a'), solanaWallet('a')])(
  'a signature that a program printed, of $wallet.chain',
  (keyed) => {
    const bytesOf = (signature: string) =>
      signature.startsWith('0x')
        ? Buffer.from(signature.slice(2), 'hex')
        : base58.decode(signature);
    it.each<readonly [string, (bytes: Uint8Array, address: string) => string]>([
      ['as Node prints bytes', (bytes) => inspect(Uint8Array.from(bytes))],
      [
        'as Node prints bytes of an object',
        (bytes, publicKey) => inspect({ publicKey, signature: Uint8Array.from(bytes) }),
      ],
      [
        'as a browser prints bytes',
        (bytes) =>
          `Uint8Array(${bytes.length}) [${bytes.join(', ')}, buffer: ArrayBuffer(${bytes.length}), byteLength: ${bytes.length}, byteOffset: 0, length: ${bytes.length}, Symbol(Symbol.toStringTag): 'Uint8Array']`,
      ],
      ['as JSON of bytes', (bytes) => JSON.stringify(Uint8Array.from(bytes))],
      ['as JSON of a buffer', (bytes) => JSON.stringify(Buffer.from(bytes))],
      ['as values after commas', (bytes) => bytes.join(',')],
      ['as bytes of Python', (bytes) => `bytes([${bytes.join(', ')}])`],
      ['as hex of Go', (bytes) => `[]byte{${[...bytes].map(hexOf).join(', ')}}`],
      ['as hex in a list', (bytes) => `[${[...bytes].map(hexOf).join(', ')}]`],
      ['as Python prints base64', (bytes) => `b'${Buffer.from(bytes).toString('base64')}'`],
      ['as a phone quotes it', (bytes) => `b‘${Buffer.from(bytes).toString('base64')}’`],
      ['as bytes of Rust', (bytes) => `[${[...bytes].map((each) => `${each}u8`).join(', ')}]`],
    ])('is read %s', async (_, printed) => {
      const { text, address, signature } = await signedBy(keyed);
      const shown = printed(bytesOf(signature), address);
      for (const pasted of [`${text}\n${shown}`, shown]) {
        expect(isForLink(pasted)).toBe(true);
        const typed = readLinkInput(pasted) as { signature?: string };
        expect(bytesIn(typed.signature ?? '')).toEqual(Buffer.from(bytesOf(signature)));
        expect(encodedSubmission({ form: undefined, signature: pasted })).toMatchObject({
          signature: typed.signature,
        });
      }
      const { signature: read = '' } = readLinkInput(shown) as { signature?: string };
      await scene.linking.of(ALICE).handIn(read);
    });
  },
);

const hexOf = (byte: number) => `0x${byte.toString(16).padStart(2, '0')}`;

const bytesIn = (encoded: string) =>
  /^0x[0-9a-f]+$/i.test(encoded)
    ? Buffer.from(encoded.slice(2), 'hex')
    : Buffer.from(encoded, 'base64');

describe('the parts of a signature that a program printed', () => {
  it.each<readonly [string, (parts: { r: string; s: string; v: number }) => string]>([
    ['in lines', ({ r, s, v }) => `r: ${r}\ns: ${s}\nv: ${v}`],
    ['with signs of equality', ({ r, s, v }) => `v=${v}, r=${r}, s=${s}`],
    ['as Node prints them', ({ r, s, v }) => inspect({ r, s, v: BigInt(v), yParity: v - 27 })],
    [
      'as ethers prints them',
      ({ r, s, v }) => `Signature { r: "${r}", s: "${s}", yParity: ${v - 27}, networkV: null }`,
    ],
    [
      'as eth_account prints them',
      ({ r, s, v }) =>
        `SignedMessage(message_hash=HexBytes('0x${'ab'.repeat(32)}'), r=${BigInt(r)}, s=${BigInt(s)}, v=${v}, signature=HexBytes('${r}${s.slice(2)}${v.toString(16)}'))`,
    ],
    ['as Python prints them', ({ r, s, v }) => `{'r': ${BigInt(r)}, 's': ${BigInt(s)}, 'v': ${v}}`],
    ['with a chain', ({ r, s, v }) => `r: ${r}\ns: ${s}\nv: ${v + 10}`],
    ['with another chain', ({ r, s, v }) => `r: ${r}\ns: ${s}\nv: ${v + 282}`],
  ])('are read %s', async (_, printed) => {
    // Both parities.
    for (const seed of ['a', 'b', 'c', 'd']) {
      const { signature } = await signedBy(ethereumWallet(seed));
      const s = `0x${signature.slice(66, 130)}`;
      const v = Number(`0x${signature.slice(130)}`);
      const shown = printed({ r: signature.slice(0, 66), s, v });
      expect(isForLink(shown)).toBe(true);
      const typed = readLinkInput(shown) as { signature?: string };
      await scene.linking.of(ALICE).handIn(typed.signature ?? '');
    }
  });

  it.each<readonly [string, (r: string, s: string) => string]>([
    ['by name', (r, s) => `r: ${r}\ns: ${s}`],
    ['by name with 0x', (r, s) => `R = 0x${r}, S = 0x${s}`],
    ['in JSON', (r, s) => JSON.stringify({ r, s: `0x${s}` })],
    ['one after the other', (r, s) => `${r} ${s}`],
    ['one after the other with 0x', (r, s) => `0x${r}\n0x${s}`],
    ['behind a label with 0x', (r, s) => `signature: 0x${r} 0x${s}`],
    ['in a list', (r, s) => JSON.stringify([`0x${r}`, `0x${s}`])],
  ])('are read without a parity, as of Solana and Algorand: %s', async (_, printed) => {
    for (const keyed of [solanaWallet('a'), algorandWallet('a')]) {
      const { signature } = await signedBy(keyed);
      const isBase58 = keyed.wallet.chain === 'solana';
      const bytes = isBase58 ? base58.decode(signature) : Buffer.from(signature, 'base64');
      const digits = Buffer.from(bytes).toString('hex');
      const shown = printed(digits.slice(0, 64), digits.slice(64));
      const typed = readLinkInput(shown) as { signature?: string };
      const linked = await scene.linking.of(ALICE).handIn(typed.signature ?? '');
      expect(linked.wallet).toEqual(keyed.wallet);
    }
  });

  it.each([
    `r: 0x${'1b'.repeat(32)} s: 0x${'2c'.repeat(32)} v: 29`,
    `r: ${'9'.repeat(78)} s: ${'9'.repeat(78)} v: 27`,
    `r: 0x${'1b'.repeat(32)}`,
    `r: 0x${'1b'.repeat(32)} s: 0x${'2c'.repeat(31)}`,
    Array(63).fill(7).join(','),
    Array(66).fill(7).join(','),
    Array(64).fill(999).join(','),
    `${Array(64).fill(7).join(',')} and ${Array(64).fill(8).join(',')}`,
  ])('may be none: %s', (text) => {
    expect(readLinkInput(text).kind).not.toBe('signature');
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
