import { DAY_SECONDS } from '#base';
import { retractedInput } from '#import';
import { integerOf } from '#scoring/fold/event';
import { type EventRule, IMPORT, isOrdered, type RuleSet } from '#scoring/model';
import type { StoredEvent, WalletFigures } from '#scoring/score-versions/score-version';
import { inputNames, isWaiting } from '#scoring/score-versions/wallet-inputs';

/** A rule that gives nothing for all that has been read. */
export interface IdleRule {
  readonly rule: EventRule;
  /** How many events it could be about. */
  readonly events: number;
  /** One of these events' arguments, by name. */
  readonly args: readonly string[];
}

/** An argument of imported events that a rule takes for an integer, where some are none. */
export interface Misread {
  readonly rule: EventRule;
  readonly argument: string;
  /** How many events have it, and how many of them as something else. */
  readonly events: number;
  readonly misread: number;
  /** The first value that is none. */
  readonly example: string;
}

/** The events of one input. */
interface Read {
  events: number;
  /** The first one's, as JSON. */
  readonly args: string;
}

/** Finds the rules about events that may be about something else than they say, as they give nothing. */
export class RuleUse {
  readonly #rules: RuleSet;
  /** Those about events that haven't given anything so far, by their ids. */
  readonly #idle: Map<string, EventRule>;
  /** By source and name. */
  readonly #read = new Map<string, Map<string, Read>>();
  /** What rules take for integers, by the name of the imported event. */
  readonly #sized = new Map<string, { -readonly [K in keyof Misread]: Misread[K] }[]>();
  /** Seconds since 1970; imports from then on don't count yet. */
  readonly #end: number;

  /** @param asOf the day up to which imports count */
  constructor(rules: RuleSet, asOf: number) {
    this.#rules = rules;
    const about = rules.rules.filter((rule) => rule.kind === 'event');
    this.#idle = new Map(about.map((rule) => [rule.id, rule]));
    this.#end = (asOf + 1) * DAY_SECONDS;
    for (const rule of about) {
      if (rule.trigger.kind !== 'import') continue;
      const { event } = rule.trigger;
      const own = sizedArguments(rule).map((argument) => ({
        ...{ rule, argument, events: 0, misread: 0, example: '' },
      }));
      if (own.length > 0) this.#sized.set(event, [...(this.#sized.get(event) ?? []), ...own]);
    }
  }

  /** Notes a wallet's events, and what the rules give for them. */
  add(events: readonly StoredEvent[], { sums }: Pick<WalletFigures, 'sums'>): void {
    for (const event of events) this.#count(event);
    for (const { rule: id, points, capped, decayed, discounted } of sums) {
      const isFixed = this.#idle.get(id)?.give.points.kind === 'fixed';
      if (isFixed || points !== 0 || capped + decayed + discounted > 0) this.#idle.delete(id);
    }
  }

  /** What doesn't fit rules without a trace: a fraction, or separators of thousands. */
  get misread(): readonly Misread[] {
    return [...this.#sized.values()].flat().filter((each) => each.misread > 0);
  }

  /** The names of imported events. */
  get imported(): readonly string[] {
    return [...(this.#read.get(IMPORT)?.keys() ?? [])];
  }

  get idle(): readonly IdleRule[] {
    const names = inputNames(this.#rules);
    return [...this.#idle.values()].map((rule) => {
      const own = (names.get(rule.id) ?? []).flatMap(
        (name) => this.#read.get(rule.source)?.get(name) ?? [],
      );
      const events = own.reduce((sum, each) => sum + each.events, 0);
      return { rule, events, args: Object.keys(JSON.parse(own[0]?.args ?? '{}') as object) };
    });
  }

  #count(event: StoredEvent): void {
    const { source, input, args } = event;
    if (isWaiting(event, this.#end)) return;
    if (source === IMPORT && retractedInput(input) !== undefined) return;
    const ofSource = this.#read.get(source) ?? new Map<string, Read>();
    this.#read.set(source, ofSource);
    const read = ofSource.get(input);
    if (read === undefined) ofSource.set(input, { events: 1, args });
    else read.events += 1;
    if (source === IMPORT) this.#size(input, args);
  }

  #size(input: string, json: string): void {
    const sized = this.#sized.get(input);
    if (sized === undefined) return;
    const args = JSON.parse(json) as Record<string, string>;
    for (const each of sized) {
      const value = args[each.argument];
      if (value === undefined) continue;
      each.events += 1;
      if (integerOf(value) !== undefined) continue;
      if (each.misread === 0) each.example = value;
      each.misread += 1;
    }
  }
}

/** The arguments that a rule compares by size, or gives points by. */
function sizedArguments({ where, give: { points } }: EventRule): readonly string[] {
  const compared = where.filter(({ comparison }) => isOrdered(comparison));
  const names = compared.map(({ argument }) => argument);
  return [...new Set(points.kind === 'fixed' ? names : [...names, points.argument])];
}
