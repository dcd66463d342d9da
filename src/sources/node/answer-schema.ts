import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** An unsigned integer of up to 64 bits, exact; see `parseExactly`. */
export const Uint64 = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.BigInt({ minimum: 0n, maximum: 2n ** 64n - 1n }),
]);

/** A height or a time: an integer of 0 or more. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** A response doesn't have the protocol's form; the message says where. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Checks and types a node's response. */
export type AnswerCheck<T> = (value: unknown) => T;

/** Field names from our schema may be shown; any other path may hold anything. */
const PLAIN_PATH = /^[\w/-]{0,200}$/;

/**
 * Compiles a schema into a check.
 * @returns a function that returns the value, or throws MalformedAnswer without quoting the value
 */
export function answerCheck<T extends TSchema>(schema: T): AnswerCheck<Static<T>> {
  const validator = Compile(schema);
  return (value) => {
    if (validator.Check(value)) return value as Static<T>;
    // Among several alternatives, the closest match explains most.
    const paths = validator.Errors(value).map(({ instancePath }) => instancePath);
    const path = paths.reduce(
      (deepest, each) => (each.length > deepest.length ? each : deepest),
      '',
    );
    const where = path !== '' && PLAIN_PATH.test(path) ? ` at ${path}` : '';
    throw new MalformedAnswer(`sent an unexpected response${where}`);
  };
}
