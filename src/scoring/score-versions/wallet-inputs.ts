import { DAY_SECONDS, dayOf } from '#base';
import { Retractions, retractedInput } from '#import';
import {
  type Arguments,
  type ArgumentValue,
  type EvidenceEvent,
  sortEvents,
} from '#scoring/fold/event';
import type { BalanceEvent, RetractedEvent, WalletEvidence } from '#scoring/fold/score-wallet';
import { inputsOf } from '#scoring/inputs/input';
import { type EventRule, type HoldRule, IMPORT, type RuleSet } from '#scoring/model';
import type { Wallet } from '#wallet';
import { inputKey, type SourceEnds } from './ends.ts';
import type { StoredEvent } from './score-version.ts';

/** A wallet's events that rules may wait for. */
interface Input {
  readonly source: string;
  readonly name: string;
  /** The height up to which events count; of those after it the next scores are made. */
  readonly end: number;
  readonly kept: StoredEvent[];
  /** Retracted ones, with the reasons. */
  readonly retracted: { readonly kept: StoredEvent; readonly reason: string }[];
  /** In canonical order; sorted on demand, as few rules share an input. */
  events: readonly EvidenceEvent[] | undefined;
}

/** What's needed to sort the evidence of wallets. */
export interface EvidenceView {
  /** Seconds since 1970; imports from then on don't count yet. */
  readonly end: number;
  readonly sound: SourceEnds['sound'];
  readonly heights: SourceEnds['heights'];
  /** The inputs that a rule is folded over, by its id. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

export function inputNames({ rules }: RuleSet): EvidenceView['names'] {
  return new Map(
    rules.map((rule) => [
      rule.id,
      rule.kind === 'event' && rule.trigger.kind === 'import'
        ? [rule.trigger.event]
        : inputsOf(rule).map(({ name }) => name),
    ]),
  );
}

/** Whether an event's day hasn't been processed yet. Events of chains are never ahead. */
export function isWaiting({ source, time }: StoredEvent, end: number): boolean {
  return source === IMPORT && time >= end;
}

/** One wallet's evidence, by what rules wait for. */
export class WalletInputs implements WalletEvidence {
  readonly #wallet: Wallet;
  readonly #view: EvidenceView;
  readonly #inputs: Input[] = [];
  /** Time of the first event of each source. */
  readonly #first: { readonly source: string; time: number }[] = [];

  /** @param events in any order; fastest if events of one input are adjacent */
  constructor(events: readonly StoredEvent[], wallet: Wallet, view: EvidenceView) {
    this.#wallet = wallet;
    this.#view = view;
    // There are few, and most events belong to the same one as the event before.
    let input: Input | undefined;
    const retractions = retractionsOf(events, view);
    for (const event of events) {
      const { source, input: name, time } = event;
      if (source === IMPORT && retractedInput(name) !== undefined) continue;
      if (input?.name !== name || input.source !== source) input = this.#inputOf(source, name);
      if (event.height > input.end || isWaiting(event, view.end)) continue;
      const reason = source === IMPORT ? retractions?.reasonOf(name, event.place) : undefined;
      if (reason !== undefined) {
        input.retracted.push({ kept: event, reason });
        continue;
      }
      input.kept.push(event);
      this.#see(source, time);
    }
  }

  events({ id, source, trigger }: EventRule): readonly EvidenceEvent[] {
    const names = this.#view.names.get(id) ?? [];
    const isVote = trigger.kind === 'vote';
    const [name = ''] = names;
    const all =
      names.length === 1 ? this.#eventsOf(source, name, isVote) : this.#merged(source, names);
    // Anyone who has opted in could send themselves nothing any number of times.
    if (trigger.kind === 'asset-transfer' && trigger.transfer === 'optin') return all.slice(0, 1);
    // For a chain: nothing before the position it was read from.
    if (trigger.kind !== 'import' || trigger.since?.kind !== 'day') return all;
    const from = trigger.since.day * DAY_SECONDS;
    return all.filter(({ time }) => time >= from);
  }

  retracted({ trigger }: EventRule): readonly RetractedEvent[] {
    if (trigger.kind !== 'import') return NOTHING;
    const input = this.#inputs.find(
      ({ source, name }) => source === IMPORT && name === trigger.event,
    );
    if (input === undefined || input.retracted.length === 0) return NOTHING;
    const from = trigger.since?.kind === 'day' ? trigger.since.day * DAY_SECONDS : 0;
    return input.retracted
      .filter(({ kept }) => kept.time >= from)
      .map(({ kept, reason }) => ({ event: this.#eventOf(kept, false), reason }));
  }

  balances({ id, source, except }: HoldRule): readonly BalanceEvent[] {
    const [name = ''] = this.#view.names.get(id) ?? [];
    if (!this.#view.sound.has(inputKey(source, name))) return [];
    if (except.includes(this.#wallet.address)) return [];
    return this.#eventsOf(source, name, false).map(({ time, args }) => ({
      time,
      amount: BigInt(String(args.get('amount'))),
    }));
  }

  firstSeen(source: string): number | undefined {
    const time = this.#first.find((each) => each.source === source)?.time;
    return time === undefined ? undefined : dayOf(time);
  }

  /** @param isVote whether they count from the end of their proposal, which is their height */
  #eventsOf(source: string, name: string, isVote: boolean): readonly EvidenceEvent[] {
    const input = this.#inputs.find((each) => each.name === name && each.source === source);
    if (input === undefined) return NONE;
    input.events ??= this.#inOrder(input.kept, isVote);
    return input.events;
  }

  /** The events of several contracts in one order. */
  #merged(source: string, names: readonly string[]): readonly EvidenceEvent[] {
    const events = names.flatMap((name) => this.#eventsOf(source, name, false));
    sortEvents(events);
    return events;
  }

  #inputOf(source: string, name: string): Input {
    const known = this.#inputs.find((each) => each.name === name && each.source === source);
    if (known !== undefined) return known;
    const input: Input = {
      source,
      name,
      end: this.#endOf(source, name),
      kept: [],
      retracted: [],
      events: undefined,
    };
    this.#inputs.push(input);
    return input;
  }

  #endOf(source: string, name: string): number {
    const { heights } = this.#view;
    if (heights === undefined || source === IMPORT) return Number.POSITIVE_INFINITY;
    return heights.get(inputKey(source, name)) ?? Number.NEGATIVE_INFINITY;
  }

  #see(source: string, time: number): void {
    const known = this.#first.find((each) => each.source === source);
    if (known === undefined) this.#first.push({ source, time });
    else if (time < known.time) known.time = time;
  }

  #inOrder(kept: readonly StoredEvent[], isVote: boolean): readonly EvidenceEvent[] {
    const events = kept.map((each) => this.#eventOf(each, isVote));
    sortEvents(events);
    return events;
  }

  #eventOf({ height, place, time, args }: StoredEvent, isVote: boolean): EvidenceEvent {
    const named = args === '{}' ? NO_ARGUMENTS : new JsonArguments(args);
    const settled = isVote ? height : time;
    return { height, place, wallet: this.#wallet, time, settled, args: named };
  }
}

/** Undefined if there are none, as nearly always. */
function retractionsOf(
  events: readonly StoredEvent[],
  { end }: EvidenceView,
): Retractions | undefined {
  let retractions: Retractions | undefined;
  for (const event of events) {
    if (event.source !== IMPORT) continue;
    const retracted = retractedInput(event.input);
    if (retracted === undefined || isWaiting(event, end)) continue;
    retractions ??= new Retractions();
    retractions.add(retracted, event);
  }
  return retractions;
}

const NOTHING: readonly RetractedEvent[] = [];
const NONE: readonly EvidenceEvent[] = [];
const NO_ARGUMENTS: Arguments = { get: () => undefined };

/** Arguments as stored; parsed when a rule first needs one. */
class JsonArguments implements Arguments {
  readonly #json: string;
  #values: Readonly<Record<string, string>> | undefined;

  constructor(json: string) {
    this.#json = json;
  }

  get(name: string): ArgumentValue | undefined {
    this.#values ??= JSON.parse(this.#json) as Record<string, string>;
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }
}
