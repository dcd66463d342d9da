import { describe, expect, it } from 'vitest';
import { addressesIn, pastedAddress } from '#wallet/wallet';
import { algorandWallet, ethereumWallet, solanaWallet } from '../support/wallet-keys.ts';

const ETH = ethereumWallet('a').wallet.address;
const SOL = solanaWallet('a').wallet.address;
const ALGO = algorandWallet('a').wallet.address;

describe('a pasted address', () => {
  it.each([ETH, SOL, ALGO])('is found among surrounding text: %s', (address) => {
    for (const text of [
      address,
      ` "${address}" `,
      `wallet:${address}`,
      `address: ${address}`,
      `<${address}>`,
      `(${address})`,
      `${address}.`,
      `${address},`,
      `my wallet is ${address}!`,
      `/link ${address}`,
      `/unlink ${address}`,
      `</rep:1234567890123456789> ${address}`,
      `https://explorer.example.org/address/${address}`,
      `https://explorer.example.org/account/${address}?cluster=mainnet#tokens`,
      `${address.slice(0, 20)}\n${address.slice(20)}`,
      `${address} ${address}`,
    ]) {
      expect(pastedAddress(text)).toBe(address);
    }
  });

  it('may name its network as in CAIP-10', () => {
    expect(pastedAddress(`eip155:1:${ETH}`)).toBe(ETH);
    expect(pastedAddress(`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOL}`)).toBe(SOL);
    expect(pastedAddress(`algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k:${ALGO}`)).toBe(ALGO);
  });

  it('may have an upper-case 0x, and on Algorand lower-case letters', () => {
    expect(pastedAddress(`0X${ETH.slice(2)}`)).toBe(ETH);
    expect(pastedAddress(ALGO.toLowerCase())).toBe(ALGO);
  });

  it.each(['Ox', 'ox', 'OX', '0X', 'Оx', '0х', '0×', 'O×', '\\x'])(
    'may begin with %s',
    (prefix) => {
      const typed = prefix + ETH.slice(2);
      for (const text of [
        typed,
        `my wallet is ${typed}, ok?`,
        `${typed.slice(0, 20)}\n${typed.slice(20)}`,
      ]) {
        expect(pastedAddress(text)).toBe(ETH);
      }
      expect(addressesIn(`${prefix}${ETH.slice(3)}`)).toEqual([]);
      expect(addressesIn(`${typed}1`)).toEqual([]);
    },
  );

  it('is distinguished from others next to it', () => {
    expect(addressesIn(`${ETH} ${SOL} ${ALGO}`)).toEqual([ETH, SOL, ALGO]);
    expect(pastedAddress(`${ETH} ${SOL}`)).toBe(`${ETH} ${SOL}`);
  });

  it.each([
    'alice.eth',
    'https://rep.example.org/link#1123456789abcdef1123456789abcdef',
    'https://rep.example.org/link/with/1123456789abcdef1123456789abcdef',
    `https://etherscan.io/tx/0x${'ab'.repeat(32)}`,
    `${ETH}ab`,
    'how do I link the wallet that I have on my phone',
  ])('may be none: %s', (text) => {
    expect(addressesIn(text)).toEqual([]);
    expect(pastedAddress(text)).toBe(text);
  });
});
