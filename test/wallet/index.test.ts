import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { chains } from '#wallet/chains/index';
import { CHAINS, createWalletParser } from '#wallet/wallet';
import { anyString } from '../support/any-string.ts';
import { addressOf } from '../support/import-lines.ts';

const parser = createWalletParser(chains);

describe('the registry of chains', () => {
  it('contains every chain once', () => {
    expect(chains).toHaveLength(CHAINS.length);
    expect(new Set(chains.map(({ chain }) => chain))).toEqual(new Set(CHAINS));
  });

  it('never has two chains that match the same text', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.stringMatching(/^0x[0-9a-fA-F]{38,42}$/),
      fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{30,60}$/),
      fc.stringMatching(/^[A-Z2-7]{56,60}$/),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(chains.filter((each) => each.looksLike(text)).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(CHAINS)('detects %s', (chain) => {
    fc.assert(
      fc.property(fc.nat(), (number) => {
        const address = addressOf(chain, number);
        expect(parser.parse(address)).toEqual({ chain, address });
      }),
    );
  });

  it('answers any hostile text with a user error', () => {
    const hostile = fc.oneof(
      anyString({ maxLength: 200 }),
      fc.constantFrom(
        '__proto__',
        'constructor',
        '\0',
        '0x',
        '0x'.padEnd(42, '\ud800'),
        '💧'.repeat(29),
      ),
      fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
      fc.stringMatching(/^[A-Z2-7]{58}$/),
      fc.nat(5_000).map((length) => '1'.repeat(length)),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        try {
          const { address } = parser.parse(text);
          expect(parser.parse(address).address).toBe(address);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          expect((error as UserError).code).toBe('invalid-address');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
