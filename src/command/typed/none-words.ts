import type { OptionSpec } from '#command/command-spec';
import { LANGUAGES, type Texts, textsFor } from '#command/texts/index';
import { withoutEnd } from './sentence-end.ts';
import { folded, optionNamed } from './words.ts';

/** What a call carries to end what an option asked for; no badge has such an id. */
export const NONE = '-';
/** What people type for it in either language, besides what the option calls it. */
const NONE_WORDS = new Set([
  ...['none', 'no', 'off', 'any', 'nothing', 'without'],
  ...['ninguno', 'ninguna', 'nada', 'cualquiera', 'sin'],
]);
/** Before the option's name: `no badge`, `sin insignia`. */
const WITHOUT = new Set(['no', 'without', 'sin']);

/** Whether a value says that nothing of the kind is wanted any more. */
export function isNone(option: OptionSpec | undefined, word: string): boolean {
  if (!canBeNone(option)) return false;
  const typed = word.trim();
  const plain = folded(withoutEnd(typed));
  if (typed === NONE || NONE_WORDS.has(plain) || isDenied(option, plain)) return true;
  if ('alsoNone' in option && option.alsoNone?.includes(plain) === true) return true;
  return LANGUAGES.some((each) => folded(option.none(textsFor(each))) === plain);
}

/** Whether a word before an option's name says that. */
export function isWithout(option: OptionSpec | undefined, word: string): boolean {
  return canBeNone(option) && WITHOUT.has(folded(word));
}

/** `no badge` where the option has a field of its own. */
function isDenied(option: OptionSpec, text: string): boolean {
  const [first = '', ...name] = text.split(/\s+/);
  return WITHOUT.has(first) && optionNamed([option], name.join(' '), textsFor('en')) !== undefined;
}

function canBeNone<O extends OptionSpec>(
  option: O | undefined,
): option is O & { readonly none: (texts: Texts) => string } {
  return option !== undefined && 'none' in option && option.none !== undefined;
}
