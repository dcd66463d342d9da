import { sanitizeText } from '#base';
import { counted } from '#cli/format';
import type { RehearsedRules } from '#gating/rehearsal';
import { type IdleRule, IMPORT, type Misread, type RuleSet } from '#scoring';

/** Names that are listed of many. */
const NAMED = 8;

/** A sentence for each rule about events that gives nothing for what has been read. */
export function idleWords({ idle, imported }: Pick<RehearsedRules, 'idle' | 'imported'>): string[] {
  return idle.flatMap((each) => {
    const { rule, events } = each;
    if (events > 0) return [`Rule ${rule.id} ${uselessWords(each)}`];
    // Of what a chain has none of, the sources tell; and before the first import every rule waits.
    return rule.trigger.kind === 'import'
      ? missingWords(rule.id, rule.trigger.event, imported)
      : [];
  });
}

/**
 * A sentence for each rule that waits for an imported event of a name that none has.
 * @param imported the names of imported events
 */
export function unimportedWords({ rules }: RuleSet, imported: readonly string[]): string[] {
  return rules.flatMap((rule) =>
    rule.kind === 'event' && rule.trigger.kind === 'import'
      ? missingWords(rule.id, rule.trigger.event, imported)
      : [],
  );
}

/** Says which values of imported events a rule can't take. */
export function misreadWords({ rule, argument, events, misread, example }: Misread): string {
  const of = counted(events, 'imported event', 'imported events');
  return `Rule ${rule.id} needs whole numbers: ${argument} is something else in ${misread} of ${of}, such as "${sanitizeText(example, 40)}". These don't count.`;
}

function missingWords(rule: string, event: string, imported: readonly string[]): string[] {
  if (imported.length === 0 || imported.includes(event)) return [];
  const words = `Rule ${rule} waits for ${event}, and no such event has been imported; there ${imported.length === 1 ? 'is' : 'are'} ${listed(imported)}.`;
  return [words];
}

function uselessWords({ rule, events, args }: IdleRule): string {
  const what =
    rule.source === IMPORT
      ? counted(events, 'imported event', 'imported events')
      : `${counted(events, 'event', 'events')} of ${rule.source}`;
  const has = args.length === 0 ? 'no arguments' : `the arguments ${listed(args)}`;
  return `gives nothing for ${what}. Check its "where", "since" and "per"; the first event has ${has}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => sanitizeText(name, 40));
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
