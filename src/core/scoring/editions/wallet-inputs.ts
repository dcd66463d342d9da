import { DAY_SECONDS, dayOf } from '#core/scoring/days';
import {
  type Arguments,
  type ArgumentValue,
  type EvidenceEvent,
  sortEvents,
} from '#core/scoring/fold/event';
import type { BalanceEvent, WalletEvidence } from '#core/scoring/fold/score-wallet';
import { type EventRule, type HoldRule, IMPORT, type RuleSet } from '#core/scoring/model';
import { inputsOf } from '#core/scoring/reading/input';
import type { Wallet } from '#core/wallet';
import type { KeptEvent } from './edition.ts';
import { inputKey, type SourceEnds } from './ends.ts';

/** Events of a wallet that rules may wait for. */
interface Input {
  readonly source: string;
  readonly name: string;
  readonly kept: KeptEvent[];
  /** In canonical order; made when a rule first asks, as most inputs are asked for by one or none. */
  events: readonly EvidenceEvent[] | undefined;
}

/** What the evidence of wallets is looked at by. */
export interface EvidenceView {
  /** Seconds since 1970; what was imported from there on doesn't count yet. */
  readonly end: number;
  readonly sound: SourceEnds['sound'];
  /** Inputs that a rule is folded over, by its id. */
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

/** Whether an event is of a day that isn't taken yet. What a chain has is never ahead of it. */
export function isWaiting({ source, time }: KeptEvent, end: number): boolean {
  return source === IMPORT && time >= end;
}

/** What is kept of one wallet, by what rules wait for. */
export class WalletInputs implements WalletEvidence {
  readonly #wallet: Wallet;
  readonly #view: EvidenceView;
  readonly #inputs: Input[] = [];
  /** Time of the first event of each source. */
  readonly #first: { readonly source: string; time: number }[] = [];

  /**
   * @param events in any order; they are read fastest where those of an input lie together
   */
  constructor(events: readonly KeptEvent[], wallet: Wallet, view: EvidenceView) {
    this.#wallet = wallet;
    this.#view = view;
    // Few enough to be looked through, and most events belong where the one before them does.
    let input: Input | undefined;
    for (const event of events) {
      const { source, input: name, time } = event;
      if (input?.name !== name || input.source !== source) input = this.#inputOf(source, name);
      if (isWaiting(event, view.end)) continue;
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
    // Whoever has opted in can send themselves nothing as often as they like.
    if (trigger.kind === 'asset-transfer' && trigger.transfer === 'optin') return all.slice(0, 1);
    // Of a chain, nothing before it was read.
    if (trigger.kind !== 'import' || trigger.since?.kind !== 'day') return all;
    const from = trigger.since.day * DAY_SECONDS;
    return all.filter(({ time }) => time >= from);
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

  /** Of several contracts. */
  #merged(source: string, names: readonly string[]): readonly EvidenceEvent[] {
    const events = names.flatMap((name) => this.#eventsOf(source, name, false));
    sortEvents(events);
    return events;
  }

  #inputOf(source: string, name: string): Input {
    const known = this.#inputs.find((each) => each.name === name && each.source === source);
    if (known !== undefined) return known;
    const input: Input = { source, name, kept: [], events: undefined };
    this.#inputs.push(input);
    return input;
  }

  #see(source: string, time: number): void {
    const known = this.#first.find((each) => each.source === source);
    if (known === undefined) this.#first.push({ source, time });
    else if (time < known.time) known.time = time;
  }

  #inOrder(kept: readonly KeptEvent[], isVote: boolean): readonly EvidenceEvent[] {
    const events = kept.map(({ height, place, time, args }): EvidenceEvent => {
      const named = args === '{}' ? NO_ARGUMENTS : new JsonArguments(args);
      const settled = isVote ? height : time;
      return { height, place, wallet: this.#wallet, time, settled, args: named };
    });
    sortEvents(events);
    return events;
  }
}

const NONE: readonly EvidenceEvent[] = [];
const NO_ARGUMENTS: Arguments = { get: () => undefined };

/** Arguments as they are kept; read when a rule first looks at one. */
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
