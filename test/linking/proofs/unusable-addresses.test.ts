import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { NOBODY } from '#scoring/compile/nobody';
import { chains } from '#wallet/chains/index';
import { type Chain, createWalletParser } from '#wallet/wallet';
import { addressOf } from '../../support/import-lines.ts';
import { algorandAddress, ed25519Key, ethereumKey, proverOf, solanaAddress } from './signing.ts';

const parser = createWalletParser(chains);

/** The token account of USDC's treasury, and the largest number: neither is a point. */
const OF_PROGRAMS = new Set([
  'Enc6rB84ZwGxZU8aqAF41dRJxg3yesiJgD7uJFVhMraM',
  base58.encode(new Uint8Array(32).fill(255)),
]);

const UNUSABLE: Readonly<Record<Chain, readonly string[]>> = {
  ethereum: [
    `0x${'0'.repeat(40)}`,
    `0x${'0'.repeat(39)}1`,
    `0x${'0'.repeat(37)}100`,
    `0x${'0'.repeat(36)}dead`,
    `0x${'0'.repeat(36)}ffff`,
    `0x${'dead'.repeat(10)}`,
    `0xdead${'0'.repeat(36)}`,
    `0x000000000000dead${'0'.repeat(24)}`,
    '0xdead000000000000000042069420694206942069',
    `0x${'e'.repeat(40)}`,
    `0x${'f'.repeat(40)}`,
    `0x${'1'.repeat(40)}`,
    '0xfffffffffffffffffffffffffffffffffffffffe',
    '0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02',
    '0x0000F90827F1C53a10cb7A02335B175320002935',
  ],
  solana: [
    '11111111111111111111111111111111',
    '1nc1nerator11111111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'SysvarRecentB1ockHashes11111111111111111111',
    'Vote111111111111111111111111111111111111111',
    'Stake11111111111111111111111111111111111111',
    'ComputeBudget111111111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'So11111111111111111111111111111111111111112',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    ...OF_PROGRAMS,
  ],
  algorand: [
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ',
    'Y76M3MSY6DKBRHBL7C3NNDXGS5IIMQVQVUAB6MP4XEMMGVF2QWNPL226CA',
    '737777777777777777777777777777777777777777777777777UFEJ2CI',
  ],
};

describe.each(Object.entries(UNUSABLE))('on %s', (chain, addresses) => {
  const prover = proverOf(chain as Chain);

  it.each(addresses)('nobody can own %s', (text) => {
    const { address } = parser.parse(text, chain as Chain);
    expect(() => prover.requireUsable(address)).toThrow(UserError);
    expect(() => prover.requireUsable(address)).toThrow(
      expect.objectContaining({
        code: OF_PROGRAMS.has(text) ? 'wallet-of-program' : 'wallet-unusable',
      }),
    );
  });
});

it('A refusal asks for the correct case of a Solana address without capital letters', () => {
  const prover = proverOf('solana');
  let count = 0;
  for (let number = 0; number < 40; number++) {
    const changed = solanaAddress(ed25519Key(String(number)).publicKey).toLowerCase();
    // A small l is no letter of base58, and some stand for more than 32 bytes.
    try {
      parser.parse(changed);
    } catch {
      continue;
    }
    count += 1;
    expect(() => prover.requireUsable(changed)).toThrow(
      expect.objectContaining({ code: 'wallet-lower-case' }),
    );
  }
  expect(count).toBeGreaterThan(0);
});

it.each([
  ['ethereum', NOBODY.evm],
  ['solana', NOBODY.solana],
  ['algorand', NOBODY.algorand],
] as const)('Nobody can own what rules never count on %s', (chain, addresses = []) => {
  expect(addresses).not.toEqual([]);
  for (const address of addresses) {
    expect(() => proverOf(chain).requireUsable(address)).toThrow(UserError);
  }
});

describe('usable addresses', () => {
  it('are accepted', () => {
    for (let number = 0; number < 20; number++) {
      const { publicKey } = ed25519Key(String(number));
      proverOf('ethereum').requireUsable(ethereumKey(String(number)).address);
      proverOf('ethereum').requireUsable(addressOf('ethereum', number));
      proverOf('solana').requireUsable(solanaAddress(publicKey));
      proverOf('algorand').requireUsable(algorandAddress(publicKey));
    }
  });

  it.each([
    '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    '0xdeaD00000000000000000000000000000000bEEf',
    '0x0000000000000000000000000000000000010000',
  ])('are accepted even if they look odd: %s', (address) => {
    expect(() => proverOf('ethereum').requireUsable(address)).not.toThrow();
  });

  it('need not be keys on Algorand, because accounts can be rekeyed', () => {
    const address = algorandAddress(new Uint8Array(32).fill(255));
    expect(() => proverOf('algorand').requireUsable(address)).not.toThrow();
  });
});
