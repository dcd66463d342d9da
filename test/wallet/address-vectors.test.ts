import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { addressOfKey, algorand, ethereum, solana } from '#wallet/chains/index';
import { suiteOf } from '../support/whole-suite.ts';
import accounts from './vectors/accounts.json' with { type: 'json' };

/* Addresses as standards and other libraries give them. */

describe('an Ethereum address', () => {
  it('has the checksum that ethers’ suite says, and no other', () => {
    for (const { address, checksumAddress } of suiteOf(accounts.tests, 'accounts.json.gz')) {
      const digits = address.slice(2);
      expect(ethereum.canonical(`0x${digits.toLowerCase()}`)).toBe(checksumAddress);
      expect(ethereum.canonical(`0x${digits.toUpperCase()}`)).toBe(checksumAddress);
      expect(ethereum.canonical(checksumAddress)).toBe(checksumAddress);
      const at = [...checksumAddress].findLastIndex((each) => /[a-z]/i.test(each));
      if (at < 2) continue;
      const letter = checksumAddress[at] as string;
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      const changed = checksumAddress.slice(0, at) + other + checksumAddress.slice(at + 1);
      const isOneCase = [changed.slice(2).toLowerCase(), changed.slice(2).toUpperCase()].includes(
        changed.slice(2),
      );
      if (isOneCase) expect(ethereum.canonical(changed)).toBe(checksumAddress);
      else expect(() => ethereum.canonical(changed)).toThrow('EIP-55');
    }
  });

  it('isn’t read from the form that banks’ numbers have (ICAP), which no wallet shows any more', () => {
    for (const { icapAddress } of accounts.tests)
      expect(ethereum.looksLike(icapAddress)).toBe(false);
  });

  // https://eips.ethereum.org/EIPS/eip-55 (CC0), "Test Cases".
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('has the checksum of EIP-55: %s', (address) => {
    expect(ethereum.canonical(address.toLowerCase())).toBe(address);
    expect(ethereum.canonical(address)).toBe(address);
  });
});

describe('an Algorand address', () => {
  // The key and checksum that algosdk's tests decode it to.
  it('is its key and a checksum', () => {
    const address = 'MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI';
    const key = '63b47f669cfc37e327c6a9e8a31024821adfe6d500996cc0c8c51c4dc4328d70';
    expect(addressOfKey(Buffer.from(key, 'hex'))).toBe(address);
    expect(algorand.canonical(address)).toBe(address);
  });

  it.each([
    ['a wrong checksum', 'MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJJ'],
    ['another key', 'MO3H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI'],
    ['unused bits', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKR'],
  ])('with %s is none', (_, address) => {
    expect(() => algorand.canonical(address)).toThrow('checksum');
  });
});

describe('a Solana address', () => {
  // The addresses that web3.js' tests give for these keys.
  it.each([
    ['11111111111111111111111111111111', '00'.repeat(32)],
    ['CiDwVBFgWV9E5MvXWoLgnEgn2hK7rJikbvfWavzAQz3', `03${'00'.repeat(31)}`],
  ])('is a key in base58: %s', (address, key) => {
    expect(solana.canonical(address)).toBe(address);
    expect(Buffer.from(base58.decode(address)).toString('hex')).toBe(key);
  });

  // Base58 of other lengths: Bitcoin's test vectors, and numbers that web3.js refuses.
  it.each([
    '2g',
    'a3gV',
    '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L',
    '111111111111111111111111111111111',
    'StV1DL6CwTryKyV',
    '12300000000000000000000000000000000000000000000000000000000000000',
    'z'.repeat(44),
  ])('of another length is none: %s', (text) => {
    const isRead = () => solana.looksLike(text) && solana.canonical(text) !== '';
    let isFound = false;
    try {
      isFound = isRead();
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid-address' });
    }
    expect(isFound).toBe(false);
  });
});
