/** Sixteen digits in a row: shorter numbers are exact as doubles. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d{1,100}$/;

/** TypeScript's types lack the reviver's third parameter. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/**
 * Parses JSON without rounding: integers beyond 2^53 become bigints. `JSON.parse` alone turns
 * 18446744073709551615 into 18446744073709552000.
 * @throws SyntaxError, whose message quotes the text
 */
export function parseExactly(text: string): unknown {
  return LONG_NUMBER.test(text)
    ? (JSON.parse as ParseWithSource)(text, exact)
    : (JSON.parse(text) as unknown);
}

function exact(_key: string, value: unknown, { source = '' }: { readonly source?: string }) {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return INTEGER.test(source) ? BigInt(source) : value;
}
