import { baseUnits, DECIMALS_MAX, isDraft, parseAmount, TokenAmount } from '#scoring/amount';
import { type Faults, quoted } from '#scoring/faults';
import type { Path, RulesNode } from '#scoring/tree';
import { record, required, textOrMap } from './collections.ts';
import { integer, text } from './scalar.ts';
import type { Shape } from './shape.ts';

const written = text({
  accepts: 'an amount such as 10 PEARL or 10.5, without separators',
  form: /^(0|[1-9]\d{0,77})(\.\d{1,77})?( \S{1,20})?$/u,
  example: '10 PEARL',
});

/** An amount as people say it, beside its base units, which decide. */
export function tokenAmount(min: bigint, max: bigint): Shape<TokenAmount> {
  const map = record('amount', 'An amount as people say it, with what it is in base units.', {
    amount: required(written, 'The amount as people say it.'),
    decimals: required(integer(0n, BigInt(DECIMALS_MAX)), 'The token’s decimals.'),
    base: required(integer(min, max), 'The same in base units: this decides.'),
  });
  return {
    ...map,
    read(node, path, faults) {
      const read = map.read(node, path, faults);
      if (read === undefined) return undefined;
      const decimals = Number(read.decimals);
      const amount = parseAmount(read.amount);
      if (amount === undefined) {
        faults.add(
          node.at,
          [...path, 'amount'],
          `A symbol has up to 20 letters, digits and . _ + $ -; found ${quoted(read.amount)}. Leave it out if the token's is different.`,
        );
        return undefined;
      }
      const base = baseUnits(amount, decimals);
      if (base !== read.base) {
        faults.add(node.at, path, disagreement(read.amount, decimals, base, read.base));
        return undefined;
      }
      return new TokenAmount(base, decimals, amount.symbol);
    },
  };
}

/** Base units, or an amount as people say it beside them. */
export function amount(min: bigint, max: bigint): Shape<bigint | TokenAmount> {
  const units = integer(min, max);
  const both = textOrMap(units, tokenAmount(min, max));
  return {
    ...both,
    read(node, path, faults) {
      return isDraftAt(node, path, faults) ? undefined : both.read(node, path, faults);
    },
  };
}

/** Whether it's an amount without its base units, which is recorded as a fault: nothing in the file decides it. */
function isDraftAt(node: RulesNode, path: Path, faults: Faults): boolean {
  if (node.kind !== 'text' || !isDraft(node.text)) return false;
  faults.add(node.at, path, draftFault(node.text));
  return true;
}

export function draftFault(draft: string): string {
  return `${quoted(draft)} isn't in base units yet. "fathom rules check FILE --write" asks the token for its decimals and writes both, or write them yourself: {amount: ${draft}, decimals: 18, base: …}.`;
}

function disagreement(
  said: string,
  decimals: number,
  base: bigint | undefined,
  found: bigint,
): string {
  const places = decimals === 1 ? '1 decimal' : `${decimals} decimals`;
  if (base === undefined) return `${quoted(said)} is finer than a token with ${places}.`;
  return `${quoted(said)} with ${places} is ${base} base units, not ${found}. Correct what's wrong, or write the amount alone and let "fathom rules check FILE --write" ask the token.`;
}

/** The base units of what `amount` reads. */
export function unitsOf(amount: bigint | TokenAmount): bigint {
  return typeof amount === 'bigint' ? amount : amount.base;
}

/** To be spread into what keeps the amount: how people say it, if the file does. */
export function withTokenAmount(amount: bigint | TokenAmount): {
  readonly tokenAmount?: TokenAmount;
} {
  return typeof amount === 'bigint' ? {} : { tokenAmount: amount };
}
