import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** An unsigned integer of up to 64 bits, exact; see `parseExactly`. */
export const Uint64 = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.BigInt({ minimum: 0n, maximum: 2n ** 64n - 1n }),
]);

/** A height or a time: an integer of 0 or more. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** An answer isn't of the form that the protocol gives it; the message says where. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Checks answers of a node. */
export type AnswerCheck<T> = (value: unknown) => T;

/** Names of fields are our own where the schema names them; others may hold anything. */
const PLAIN_PATH = /^[\w/-]{0,200}$/;

/**
 * A check of answers by a schema.
 * @returns gives the value back or throws MalformedAnswer, which quotes nothing of it
 */
export function answerCheck<T extends TSchema>(schema: T): AnswerCheck<Static<T>> {
  const validator = Compile(schema);
  return (value) => {
    if (validator.Check(value)) return value as Static<T>;
    // Of alternatives, the one that came closest says most.
    const paths = validator.Errors(value).map(({ instancePath }) => instancePath);
    const path = paths.reduce(
      (deepest, each) => (each.length > deepest.length ? each : deepest),
      '',
    );
    const where = path !== '' && PLAIN_PATH.test(path) ? ` at ${path}` : '';
    throw new MalformedAnswer(`sent something else than was asked for${where}`);
  };
}
