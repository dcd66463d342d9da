/** Sixteen digits in a row: only then can a number be beyond what a double holds exactly. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d{1,100}$/;

/** What the language has for longer than TypeScript knows of it. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/**
 * Parses JSON without rounding: integers beyond 2^53 become bigint. `JSON.parse` alone makes
 * 18446744073709551615 end in 2000.
 * @throws SyntaxError, the message of which quotes the text
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
