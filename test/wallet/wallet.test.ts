import { describe, expect, it } from 'vitest';
import { chains } from '#wallet/chains/index';
import {
  ADDRESS_TEXT_MAX,
  CHAIN_CODES,
  CHAINS,
  chainOfCode,
  createWalletParser,
  requireChain,
  shortAddress,
} from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { thrownCode } from '../support/thrown-code.ts';

const parser = createWalletParser(chains);

describe('parsing a wallet', () => {
  it('accepts the given chain if it is the right one', () => {
    for (const chain of CHAINS) {
      const address = addressOf(chain, 1);
      expect(parser.parse(address, chain)).toEqual({ chain, address });
    }
  });

  it('refuses every other chain, and names both', () => {
    for (const chain of CHAINS) {
      for (const other of CHAINS.filter((each) => each !== chain)) {
        const parse = () => parser.parse(addressOf(chain, 2), other);
        expect(thrownCode(parse)).toBe('chain-mismatch');
        expect(parse).toThrow(new RegExp(`\\b${chain}\\b.*\\b${other}\\b`));
        expect(thrownCode(() => requireChain(parser.parse(addressOf(chain, 2)), other))).toBe(
          'chain-mismatch',
        );
      }
    }
  });

  it('reports a wrong checksum as such, whatever chain was given', () => {
    const wrong = '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(thrownCode(() => parser.parse(wrong, 'solana'))).toBe('invalid-address');
  });

  it.each(['', ' ', 'alice.eth', '0x1234', addressOf('ethereum', 1).slice(2)])(
    'refuses %j and shows the three forms',
    (text) => {
      expect(thrownCode(() => parser.parse(text))).toBe('invalid-address');
      expect(() => parser.parse(text)).toThrow(/\b40\b.*\b44\b.*\b58\b/);
    },
  );

  it('does not parse a text that is too long', () => {
    const strict = createWalletParser([
      {
        chain: 'solana',
        looksLike: (text) => {
          expect(text.length).toBeLessThanOrEqual(ADDRESS_TEXT_MAX);
          return false;
        },
        canonical: (text) => text,
      },
    ]);
    expect(thrownCode(() => strict.parse('1'.repeat(ADDRESS_TEXT_MAX)))).toBe('invalid-address');
    expect(thrownCode(() => strict.parse('1'.repeat(ADDRESS_TEXT_MAX + 1)))).toBe(
      'invalid-address',
    );
  });
});

describe('chain names', () => {
  it('turn codes into chains, in the same order', () => {
    expect(CHAIN_CODES.map(chainOfCode)).toEqual([...CHAINS]);
  });
});

describe('a short address', () => {
  it('shows the first six and the last four characters', () => {
    expect(shortAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe('0x5aAe…eAed');
  });

  it('is unchanged if it is short already', () => {
    expect(shortAddress('abcdefghijkl')).toBe('abcdefghijkl');
  });
});
