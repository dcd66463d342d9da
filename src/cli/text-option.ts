import { UserError } from '#base';

/**
 * The value of a text option, or undefined if not given.
 * @throws UserError `wrong-usage` if it is empty
 */
export function textOption(value: string | boolean | undefined, name: string): string | undefined {
  if (value === undefined || typeof value === 'boolean') return undefined;
  if (value.trim() !== '') return value;
  throw new UserError('wrong-usage', `--${name} needs a non-empty value.`);
}
