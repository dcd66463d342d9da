import type { FastifyRequest } from 'fastify';
import { UserError, type UserErrorCode } from '#base';
import { acceptedLanguages, LANGUAGES, textsFor } from '#command/texts';
import { CARD_THEMES, type CardLook, DEFAULT_THEME } from '#pictures/shown';

const PARAMETERS = { lang: LANGUAGES, theme: CARD_THEMES } as const;

/**
 * Reads `?lang=` and `?theme=`. Without `lang`, the browser's language counts.
 * @throws UserError `unknown-parameter`, `duplicate-parameter`, `invalid-parameter`
 */
export function readLook(request: FastifyRequest): CardLook {
  const query = request.query as Readonly<Record<string, string | string[]>>;
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(PARAMETERS, name)) {
      throw fault('unknown-parameter', name, 'Known parameters: lang, theme.');
    }
    if (typeof value !== 'string') {
      throw fault('duplicate-parameter', name, `Give ${name} once.`);
    }
    const values: readonly string[] = PARAMETERS[name as keyof typeof PARAMETERS];
    if (!values.includes(value)) {
      throw fault('invalid-parameter', name, `${name} must be one of: ${values.join(', ')}.`);
    }
  }
  const { lang, theme } = query as { lang?: string; theme?: CardLook['theme'] };
  return { language: lang ?? wished(request), theme: theme ?? DEFAULT_THEME };
}

/** For pictures that look the same to everyone. @throws UserError `unknown-parameter` */
export function refuseParameters({ query }: FastifyRequest): void {
  const [name] = Object.keys(query as object);
  if (name !== undefined)
    throw fault('unknown-parameter', name, 'This resource takes no parameters.');
}

function fault(code: UserErrorCode, parameter: string, message: string): UserError {
  return new UserError(code, message, [{ parameter: parameter.slice(0, 60), message }]);
}

function wished({ headers }: FastifyRequest): string {
  const wishes = acceptedLanguages(headers['accept-language'] ?? '');
  const found = wishes.find((tag) => LANGUAGES.includes(tag.toLowerCase().split('-')[0] ?? ''));
  return textsFor(found).language;
}
