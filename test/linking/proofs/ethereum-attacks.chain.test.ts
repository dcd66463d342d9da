import { secp256k1 } from '@noble/curves/secp256k1.js';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { Challenge, Submission } from '#linking/proving/proof';
import {
  alwaysSaying,
  burningGas,
  echoing,
  invalid,
  ownedBy,
  returningHugely,
  reverting,
  revertingHugely,
  sayingTooLittle,
  sayingTooMuch,
} from '../../support/contracts.ts';
import { openEthereumNode, type TestNode } from '../../support/ethereum-node.ts';
import { base64, challengeOf, ed25519Key, ethereumKey, outcomeOf, proverOf } from './signing.ts';

type Hex = `0x${string}`;

const alice = ethereumKey('alice');
const mallory = ethereumKey('mallory');
const prover = proverOf('ethereum');
const challenge = challengeOf(prover, alice.address);
const signature = await alice.signMessage({ message: challenge.text });

const N = secp256k1.Point.Fn.ORDER;
const part = (from: number) => BigInt(`0x${signature.slice(2 + 64 * from, 66 + 64 * from)}`);
const r = part(0);
const s = part(1);
const v = Number(`0x${signature.slice(-2)}`);
const hex = (number: bigint, bytes = 32) => number.toString(16).padStart(2 * bytes, '0');
const signatureOf = (r: bigint, s: bigint, v: number): Hex =>
  `0x${hex(r)}${hex(s)}${hex(BigInt(v), 1)}`;
const otherText = (changes: Parameters<typeof challengeOf>[2]) =>
  alice.signMessage({ message: challengeOf(prover, alice.address, changes).text });

type Expected = Awaited<ReturnType<typeof outcomeOf>>;
type Row = readonly [string, Expected, string];

/** Without a node, another account's signature may be that of a contract's owner, for all we know. */
const withoutNode = (code: Expected): Expected =>
  code === 'signature-other-wallet' ? 'signature-other-or-contract' : code;

/** What a node makes of them. */
const ATTACKS: readonly Row[] = [
  [
    'by another account',
    'signature-other-wallet',
    await mallory.signMessage({ message: challenge.text }),
  ],
  ['of another nonce', 'signature-other-wallet', await otherText({ nonce: 'fedcba9876543210' })],
  ['of another domain', 'signature-other-wallet', await otherText({ domain: 'evil.example' })],
  [
    'of another chat account',
    'signature-other-wallet',
    await otherText({ requestId: 'discord:4321' }),
  ],
  ['of another time', 'signature-other-wallet', await otherText({ expiresAt: 1_790_009_999 })],
  ['of an empty text', 'signature-other-wallet', await alice.signMessage({ message: '' })],
  [
    'of the text with a line break more',
    'signature-other-wallet',
    await alice.signMessage({ message: `${challenge.text}\n` }),
  ],
  [
    'of the bare hash, without the prefix of texts',
    'signature-other-wallet',
    await alice.sign({ hash: `0x${'11'.repeat(32)}` }),
  ],
  [
    'of typed data',
    'signature-other-wallet',
    await alice.signTypedData({
      types: { Link: [{ name: 'text', type: 'string' }] },
      primaryType: 'Link',
      message: { text: challenge.text },
    }),
  ],
  ['with the other parity', 'signature-other-wallet', signatureOf(r, s, v === 27 ? 28 : 27)],
  ['with the upper s, as anybody can compute', 'signature-malformed', signatureOf(r, N - s, v ^ 7)],
  ['with the upper s and the same parity', 'signature-malformed', signatureOf(r, N - s, v)],
  ['with r 0', 'signature-malformed', signatureOf(0n, s, v)],
  ['with s 0', 'signature-malformed', signatureOf(r, 0n, v)],
  ['with r and s 0', 'signature-malformed', signatureOf(0n, 0n, v)],
  ['with r of the group order', 'signature-malformed', signatureOf(N, s, v)],
  ['with r above the group order', 'signature-malformed', signatureOf(r + N, s, v).slice(0, 132)],
  ['with s of the group order', 'signature-malformed', signatureOf(r, N, v)],
  ['with the largest r and s', 'signature-malformed', `0x${'ff'.repeat(64)}1b`],
  ['of zeros', 'signature-malformed', `0x${'00'.repeat(65)}`],
  ...[2, 26, 29, 30, 31, 32, 34].map((strange): Row => {
    return [`with v ${strange}`, 'signature-malformed', signatureOf(r, s, strange)];
  }),
  ['with an r that is no point', 'signature-malformed', signatureOf(5n, s, v)],
  ['of nothing', 'signature-malformed', ''],
  ['of white space', 'signature-malformed', ' \n '],
  ['with a digit missing', 'signature-cut', signature.slice(0, -1)],
  ['with the other parity and a chain', 'signature-other-wallet', signatureOf(r, s, 65 - v)],
  ['with letters that are no digits', 'signature-malformed', `${signature.slice(0, -2)}zz`],
  [
    'by another account, in base64',
    'signature-other-wallet',
    base64(Buffer.from((await mallory.signMessage({ message: challenge.text })).slice(2), 'hex')),
  ],
  [
    'without its last byte, in base64',
    'signature-malformed',
    base64(Buffer.from(signature.slice(2, -2), 'hex')),
  ],
  ['of 17 KiB', 'signature-malformed', `0x${'ab'.repeat(8_193)}`],
  ['of a megabyte', 'signature-malformed', `0x${'ab'.repeat(500_000)}`],
  ['of a megabyte of quotes', 'signature-malformed', '"'.repeat(1_000_000)],
];

describe('a signature for an ordinary Ethereum account', () => {
  it.each(ATTACKS)('refuses %s: %s', async (_, code, submitted) => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const submission: Submission = { form: 'message', signature: submitted };
    expect(await outcomeOf(() => asking.check(challenge, submission))).toBe(code);
    expect(await outcomeOf(() => prover.check(challenge, submission))).toBe(withoutNode(code));
  });

  const compact = Buffer.from(signature.slice(2, -2), 'hex');
  compact.writeUInt8(compact.readUInt8(32) | (signature.endsWith('1c') ? 0x80 : 0), 32);
  const flipped = Buffer.from(compact);
  flipped.writeUInt8(flipped.readUInt8(32) ^ 0x80, 32);
  const upper = Buffer.from(compact);
  const upperS = (N - s).toString(16).padStart(64, '0');
  upper.write(upperS, 32, 'hex');
  it.each([
    ['with the other parity', challenge, flipped],
    ['with the upper s, whose highest bit is the parity', challenge, upper],
    ['of another text', challengeOf(prover, alice.address, { nonce: 'f'.repeat(32) }), compact],
    ['by another account', challengeOf(prover, mallory.address), compact],
    ['of zeros', challenge, Buffer.alloc(64)],
    ['of ones', challenge, Buffer.alloc(64, 0xff)],
    ['of another chain', challenge, Buffer.from(ed25519Key('a').sign('b'))],
  ])(
    'A signature for an ordinary Ethereum account in the compact form, %s, is refused',
    async (_, asked, bytes) => {
      const node = await openEthereumNode();
      const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
      const submission: Submission = { form: 'message', signature: `0x${bytes.toString('hex')}` };
      expect(await outcomeOf(() => asking.check(asked, submission))).toMatch(
        /^signature-(other-wallet|other-or-cut|cut|malformed)$/,
      );
      expect(await outcomeOf(() => prover.check(asked, submission))).toMatch(
        /^signature-(other-or-contract|other-or-cut|cut|malformed)$/,
      );
    },
  );

  it.each([
    ['with a byte more', `${signature}00`],
    ['of no bytes', '0x'],
    ['of 16 KiB', `0x${'6492'.repeat(4_096)}`],
  ])('%s could only be of a contract, which there is none of', async (_, submitted) => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const submission: Submission = { form: 'message', signature: submitted };
    expect(await outcomeOf(() => prover.check(challenge, submission))).toBe('contract-unsupported');
    expect(await outcomeOf(() => asking.check(challenge, submission))).toBe('contract-missing');
  });

  it.each(['transaction', 'arc60'] as const)('does not match form %s', async (form) => {
    expect(await outcomeOf(() => prover.check(challenge, { form, signature }))).toBe(
      'signature-malformed',
    );
  });

  it("A signature for an ordinary Ethereum account by the private key 1 proves that key's account only", async () => {
    const one = privateKeyToAddress(`0x${'00'.repeat(31)}01`);
    expect(
      await outcomeOf(() => prover.check({ ...challenge, wallet: walletOf(one) }, own())),
    ).toBe('signature-other-or-contract');
  });

  it("is not accepted for the text alone: it must be the requested address's", async () => {
    const asked: Challenge = { wallet: walletOf(mallory.address), text: challenge.text };
    expect(await outcomeOf(() => prover.check(asked, own()))).toBe('signature-other-or-contract');
  });
});

const own = (): Submission => ({ form: 'message', signature });
const walletOf = (address: string) => ({ chain: 'ethereum', address }) as const;

/** Contracts that don't say yes, however hard someone tries to make it look so. */
const CONTRACTS: readonly (readonly [string, Hex])[] = [
  ['is of another owner', ownedBy(mallory.address)],
  ['reverts', reverting],
  ['runs into an invalid instruction', invalid],
  ['takes all gas', burningGas],
  ['says no', alwaysSaying('ffffffff')],
  ['says 0', alwaysSaying('00000000')],
  ['says yes as the standard did before', alwaysSaying('20c13b0b')],
  ['says nearly yes', alwaysSaying('1626ba7f')],
  ['says yes and more in the same word', sayingTooMuch],
  ['says yes in less than a word', sayingTooLittle],
  ['returns what it was called with, which begins as a yes does', echoing],
  ['returns a megabyte', returningHugely],
  ['reverts with a megabyte', revertingHugely],
  ['does nothing', '0x00'],
];

describe('a signature for a contract', () => {
  async function checked(node: TestNode, code: Hex, submitted?: string) {
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const asked = challengeOf(asking, await node.deploy(code));
    const signed = submitted ?? (await alice.signMessage({ message: asked.text }));
    return outcomeOf(() => asking.check(asked, { form: 'message', signature: signed }));
  }

  it.each(CONTRACTS)('is refused if it %s', async (_, code) => {
    const node = await openEthereumNode();
    expect(await checked(node, code)).toBe('contract-refused');
    expect(await checked(node, code, '0x')).toBe('contract-refused');
    expect(await checked(node, code, `0x${'6492'.repeat(200)}`)).toBe('contract-refused');
    expect(node.asked).toContain('eth_call');
  });

  it('is refused if its owner signed another text', async () => {
    const node = await openEthereumNode();
    expect(await checked(node, ownedBy(alice.address), signature)).toBe('contract-refused');
  });

  it('cannot be checked without a node, and the user is told so', async () => {
    const wrapped = `0x${'ab'.repeat(96)}${'6492'.repeat(16)}`;
    const submission: Submission = { form: 'message', signature: wrapped };
    expect(await outcomeOf(() => prover.check(challenge, submission))).toBe('contract-unsupported');
  });

  it("is never checked at an address other than the wallet's", async () => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    await node.deploy(alwaysSaying('1626ba7e'));
    const forged = await mallory.signMessage({ message: challenge.text });
    expect(
      await outcomeOf(() => asking.check(challenge, { form: 'message', signature: forged })),
    ).toBe('signature-other-wallet');
  });
});
