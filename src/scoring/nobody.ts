import type { RuleSet, Source, SourceKind } from './model.ts';

/**
 * Addresses that nobody can sign for, in canonical form: what is sent there is burned, or stands for something
 * else. Rules about chains never count them. A change of this list changes the meaning of all rules about
 * chains, and so their hash.
 */
export const NOBODY: Readonly<Partial<Record<SourceKind, readonly string[]>>> = {
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
};

/** Those of the chains that some rules read. */
export function nobodyOf({ rules }: Pick<RuleSet, 'rules'>, sources: readonly Source[]): string[] {
  const used = new Set(rules.map(({ source }) => source));
  const kinds = new Set(sources.filter(({ id }) => used.has(id)).map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => NOBODY[kind] ?? []).sort();
}
