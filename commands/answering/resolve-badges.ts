import { nearest, UserError } from '#base';
import { type Call, folded, shownWord, type ValueSuggestion } from '#command';
import type { Texts } from '#command/texts';
import type { BadgeDefinition } from '#reputation';
import type { Command } from './command.ts';

/** Badges whose names are compared for a likely typo. */
const COMPARED = 5_000;
/** Namesakes, and suggestions, that a sentence lists. */
const LISTED = 5;
/** Discord shows no more. */
const SUGGESTED = 25;

/**
 * Replaces the name of a badge in the call by its id.
 * @param badges all; undefined if the source can't list them: then the text passes for an id
 * @throws UserError `invalid-parameter` for an unknown badge, and for a name that several have
 */
export function resolveBadges(
  command: Command,
  call: Call,
  badges: (() => Iterable<BadgeDefinition>) | undefined,
  texts: Texts,
): Call {
  let settled = call;
  for (const { kind, name: option } of command.options) {
    const text = call.args[option]?.trim() ?? '';
    if (kind !== 'badge' || text === '' || badges === undefined) continue;
    const badge = badgeNamed(text, [...badges()], texts);
    settled = { ...settled, args: { ...settled.args, [option]: badge.id } };
  }
  return settled;
}

function badgeNamed(
  text: string,
  badges: readonly BadgeDefinition[],
  { errors }: Texts,
): BadgeDefinition {
  const wanted = plain(text);
  const exact = badges.find(({ id }) => id === text);
  const found = exact ? [exact] : badges.filter(({ id, name }) => isNamed(wanted, id, name));
  const [first, ...others] = found;
  if (first === undefined) {
    const names = badges.slice(0, COMPARED).flatMap(({ id, name }) => [name, id]);
    const meant = nearest(text, names) ?? names.find((each) => plain(each).includes(wanted));
    throw new UserError('invalid-parameter', errors.unknownBadge(shownWord(text), meant));
  }
  if (others.length === 0) return first;
  const ids = found
    .slice(0, LISTED)
    .map(({ id }) => id)
    .join(', ');
  throw new UserError('invalid-parameter', errors.severalBadges(shownWord(text), ids));
}

/** Badges to offer while one is typed. */
export function suggestBadges(
  typed: string,
  badges: Iterable<BadgeDefinition>,
): readonly ValueSuggestion[] {
  const wanted = plain(typed);
  const found: ValueSuggestion[] = [];
  for (const { id, name } of badges) {
    if (found.length >= SUGGESTED) break;
    if (plain(name).includes(wanted) || plain(id).includes(wanted)) {
      found.push({ label: name, value: id });
    }
  }
  return found;
}

function isNamed(wanted: string, id: string, name: string): boolean {
  return plain(id) === wanted || plain(name) === wanted;
}

/** `early-adopter` and `Early Adopter` are the same to people. */
function plain(text: string): string {
  return folded(text.replaceAll(/[-_]/g, ' '));
}
