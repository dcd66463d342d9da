import type { RuleSet, Source } from '#scoring/model';
import type { SourceKind } from '#scoring/source-kind';

type Addresses = Readonly<Partial<Record<SourceKind, readonly string[]>>>;

/** The list of version 0.1.0, which stays as it was: hashes of live rules and what evidence is read depend on it. */
export const FIRST_NOBODY = {
  evm: [
    '0x0000000000000000000000000000000000000000',
    '0x0000000000000000000000000000000000000001',
    '0x000000000000000000000000000000000000dEaD',
    '0xdEAD000000000000000042069420694206942069',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF',
  ],
  solana: ['1nc1nerator11111111111111111111111111111111', '11111111111111111111111111111111'],
  algorand: ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ'],
} as const satisfies Addresses;

/**
 * Addresses that nobody can sign for, in canonical form: what is sent there is burned, or stands for something
 * else. Rules about chains never count them. A change of this list changes the meaning of all rules about
 * chains, and so their hash: the one before stays, for rules that are live.
 */
export const NOBODY: Addresses = {
  ...FIRST_NOBODY,
  evm: [
    ...FIRST_NOBODY.evm,
    // The first precompiles, and words and digits that people burn tokens at.
    '0x0000000000000000000000000000000000000002',
    '0x0000000000000000000000000000000000000003',
    '0x0000000000000000000000000000000000000004',
    '0x00000000000000000000000000000000DeaDBeef',
    '0xdEad000000000000000000000000000000000000',
    '0xdeaDDeADDEaDdeaDdEAddEADDEAdDeadDEADDEaD',
    '0x1111111111111111111111111111111111111111',
    '0x2222222222222222222222222222222222222222',
    '0x3333333333333333333333333333333333333333',
    '0x4444444444444444444444444444444444444444',
    '0x5555555555555555555555555555555555555555',
    '0x6666666666666666666666666666666666666666',
    '0x7777777777777777777777777777777777777777',
    '0x8888888888888888888888888888888888888888',
    '0x9999999999999999999999999999999999999999',
    '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa',
    '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
    '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
    '0xDDdDddDdDdddDDddDDddDDDDdDdDDdDDdDDDDDDd',
  ],
};

/** What earlier versions took for nobody, the last one first; at first everybody counted. */
export const FORMER_NOBODY: readonly Addresses[] = [FIRST_NOBODY, {}];

/** Those of the chains that some rules read. */
export function nobodyOf(
  { rules }: Pick<RuleSet, 'rules'>,
  sources: readonly Source[],
  list = NOBODY,
): string[] {
  const used = new Set(rules.map(({ source }) => source));
  const kinds = new Set(sources.filter(({ id }) => used.has(id)).map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => list[kind] ?? []).sort();
}
