import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { encodedSubmission, readHandedIn } from '#http/pages/link/request';
import { ALICE, linkScene, ticketOf } from '../../../support/link-scene.ts';
import { ethereumWallet, type KeyedWallet, solanaWallet } from '../../../support/wallet-keys.ts';

/** The page's own code. */
const { signatureOf } = (await import(
  new URL('../../../../src/http/pages/assets/link/bytes.js', import.meta.url).href
)) as { readonly signatureOf: (value: unknown) => string };

const scene = linkScene();

/** What a wallet returns for a signature, from its bytes. */
type Answer = (bytes: Uint8Array) => unknown;

const AS_BYTES: readonly (readonly [string, Answer])[] = [
  ['bytes', (bytes) => bytes],
  ['a list', (bytes) => [...bytes]],
  ['the bytes below others', (bytes) => Uint8Array.from(bytes).buffer],
  ['what is like a typed array', (bytes) => ({ ...bytes })],
  ['what is like one and says how long it is', (bytes) => ({ ...bytes, length: bytes.length })],
  ["Node's buffer in JSON", (bytes) => Buffer.from(bytes).toJSON()],
  ['bytes in an object', (bytes) => ({ publicKey: new Uint8Array(32), signature: bytes })],
  ['one of a list', (bytes) => [{ signature: bytes }]],
];
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const partsOf = (bytes: Uint8Array) => ({
  r: hex(bytes.subarray(0, 32)),
  s: hex(bytes.subarray(32, 64)),
});
const OF_ETHEREUM: readonly (readonly [string, Answer])[] = [
  ['text', hex],
  ['text with a line break', (bytes) => `${hex(bytes)}\n`],
  ['text in an object', (bytes) => ({ signature: hex(bytes) })],
  ['the answer of JSON-RPC', (bytes) => ({ jsonrpc: '2.0', id: 1, result: hex(bytes) })],
  ['text in a list', (bytes) => [hex(bytes)]],
  ['parts', (bytes) => ({ ...partsOf(bytes), v: bytes[64] })],
  ['parts with a large number', (bytes) => ({ ...partsOf(bytes), v: BigInt(bytes[64] ?? 0) })],
  ['parts with a chain', (bytes) => ({ ...partsOf(bytes), v: (bytes[64] ?? 0) + 10 })],
  ['parts with a large chain', (bytes) => ({ ...partsOf(bytes), v: (bytes[64] ?? 0) + 282 })],
  ['text with a chain', (bytes) => hex(Uint8Array.from(bytes).fill((bytes[64] ?? 0) + 10, 64))],
  ['base64', (bytes) => Buffer.from(bytes).toString('base64')],
  ['base64url', (bytes) => Buffer.from(bytes).toString('base64url')],
];
const OF_SOLANA: readonly (readonly [string, Answer])[] = [
  ['text', (bytes) => base58.encode(bytes)],
  ['text in an object', (bytes) => ({ sig: base58.encode(bytes) })],
];

/** What the page sends, and what the service makes of it. */
async function proved(keyed: KeyedWallet, answer: Answer) {
  const { page } = scene.linking;
  const { url } = await scene.linking.of({ ...ALICE, id: keyed.wallet.address }).begin();
  const { session } = await page.open(ticketOf(url), undefined);
  const { text } = await page.challenge(session, keyed.wallet.address);
  const signature = await keyed.sign(text);
  const bytes = signature.startsWith('0x')
    ? Buffer.from(signature.slice(2), 'hex')
    : base58.decode(signature);
  const sent = { form: 'message', signature: signatureOf(answer(Uint8Array.from(bytes))) };
  const read = readHandedIn(JSON.parse(JSON.stringify(sent)));
  if (typeof read === 'string') throw new Error(read);
  return (await page.prove(session, encodedSubmission(read.submission))).wallet;
}

describe('a signature counts however a wallet returns it', () => {
  it.each([...AS_BYTES, ...OF_ETHEREUM])('as %s, on Ethereum', async (_, answer) => {
    // Both parities.
    for (const seed of ['a', 'b', 'c', 'd']) {
      const keyed = ethereumWallet(seed);
      expect(await proved(keyed, answer)).toEqual(keyed.wallet);
    }
  });

  it.each([...AS_BYTES, ...OF_SOLANA])('as %s, on Solana', async (_, answer) => {
    expect(await proved(solanaWallet('a'), answer)).toEqual(solanaWallet('a').wallet);
  });

  it.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['words', 'not a signature'],
    ['what JSON can’t show', circle()],
    ['too much', new Uint8Array(20_000)],
  ])('and not as %s', (_, value) => {
    expect(() => signatureOf(value)).toThrow('nonsense');
  });
});

function circle() {
  const it: Record<string, unknown> = {};
  it.it = it;
  return it;
}
