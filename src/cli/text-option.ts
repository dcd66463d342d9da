import { UserError } from '#core/errors';

/**
 * The value of an option that takes a text, or undefined when it wasn't given.
 * @throws UserError `wrong-usage` when it is empty
 */
export function textOption(value: string | boolean | undefined, name: string): string | undefined {
  if (value === undefined || typeof value === 'boolean') return undefined;
  if (value.trim() !== '') return value;
  throw new UserError('wrong-usage', `--${name} needs a value that is not empty.`);
}
