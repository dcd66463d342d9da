import { UserError } from '#base';

const FROM_VARIABLE = 'env:';

/**
 * The URL in an operand, given directly or as `env:NAME`.
 * @throws UserError `wrong-usage` if that variable isn't set
 */
export function urlOf(operand: string, env: Readonly<Record<string, string | undefined>>): string {
  if (!operand.startsWith(FROM_VARIABLE)) return operand;
  const name = operand.slice(FROM_VARIABLE.length);
  const url = env[name]?.trim() ?? '';
  if (url !== '') return url;
  throw new UserError('wrong-usage', `The variable ${name} is not set or empty.`);
}
