import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { readCanonicalMap } from '#linking/proofs/algorand/algorand-transaction';
import {
  personalHash,
  signerOf,
  wrappedKeySignature,
} from '#linking/proofs/ethereum/ethereum-signature';
import suite from './vectors/msgpack.json' with { type: 'json' };

/* Signatures and encodings as standards and other libraries publish them. */

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replace('0x', ''), 'hex'));
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

describe('EIP-191', () => {
  // go-ethereum, accounts/accounts_test.go; ethers and web3.js, documentation of `hashMessage`.
  it.each([
    ['Hello Joe', '0xa080337ae51c4e064c189e113edd0ba391df9206e2f49db658bb32cf2911730b'],
    ['Hello World', '0xa1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2'],
    ['Some data', '0x1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655'],
  ])('hashes "%s" as others do', (text, expected) => {
    expect(hexOf(personalHash(text))).toBe(expected);
  });

  // web3.js, documentation of `eth.accounts.sign`.
  it('recognizes the signer', () => {
    const signature =
      '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c';
    const key = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
    const { address } = privateKeyToAccount(key);
    expect(signerOf(personalHash('Some data'), bytesOf(signature))).toBe(address.toLowerCase());
  });
});

describe('EIP-2098', () => {
  const { address } = privateKeyToAccount(
    '0x1234567890123456789012345678901234567890123456789012345678901234',
  );

  // The EIP's own (CC0), "Test Cases".
  it.each([
    [
      'Hello World',
      '0x68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90',
      '7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064',
      '7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064',
      '1b',
    ],
    [
      "It's a small(er) world",
      '0x9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76',
      '139c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793',
      '939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793',
      '1c',
    ],
  ])('"%s" is signed alike in both forms', (text, r, s, yParityAndS, v) => {
    for (const each of [`${r}${s}${v}`, `${r}${yParityAndS}`]) {
      expect(signerOf(personalHash(text), bytesOf(each))).toBe(address.toLowerCase());
    }
  });
});

describe('ERC-6492', () => {
  const INNER =
    'a461f509887bd19e312c0c58467ce8ff8e300d3c1a90b608a760c5b80318eaf15fe57c96f9175d6cd4daad4663763baa7e78836e067d0163e9a2ccf2ff753f5b1b';
  const word = (hex: string) => hex.padStart(64, '0');
  const wrapper = [
    ...[word('cafebabecafebabecafebabecafebabecafebabe'), word('60'), word('a0')],
    ...[word('4'), 'deadbeef'.padEnd(64, '0'), word('41'), INNER.padEnd(192, '0')],
    '6492'.repeat(16),
  ].join('');

  // The example of viem's documentation: the first test account of anvil and hardhat signed "hello world".
  it('gives the signature in the wrapper', () => {
    const inner = wrappedKeySignature(bytesOf(wrapper));
    expect(inner && hexOf(inner)).toBe(`0x${INNER}`);
    expect(inner && signerOf(personalHash('hello world'), inner)).toBe(
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    );
  });
});

describe('MessagePack', () => {
  /** The shortest form of each value; what Algorand's transactions have is read, and nothing else. */
  const isRead = (group: string, value: unknown): boolean => {
    if (group === 'binary') return value !== '';
    if (group === 'string') return typeof value === 'string' && /^[\x20-\x7e]{1,31}$/.test(value);
    return group === 'number' && Number.isSafeInteger(value) && Number(value) > 0;
  };

  it('is read in the one form of each value that Algorand writes, and refused in all others', () => {
    let read = 0;
    for (const tests of Object.values(suite.groups) as Record<string, unknown>[][]) {
      for (const test of tests) {
        const [group = ''] = Object.keys(test).filter((key) => key !== 'msgpack');
        const forms = test.msgpack as string[];
        const value = test[group];
        for (const [place, form] of forms.entries()) {
          const bytes = bytesOf(`81a161${form.replaceAll('-', '')}`);
          const found = readCanonicalMap(bytes)?.a;
          const expected = isRead(group, value) && place === 0;
          expect([test, form, found !== undefined]).toEqual([test, form, expected]);
          if (!expected) continue;
          read += 1;
          const shown = found instanceof Uint8Array ? hexOf(found).slice(2) : found;
          expect(shown).toBe(group === 'binary' ? String(value).replaceAll('-', '') : value);
        }
      }
    }
    expect(read).toBeGreaterThan(10);
  });
});
