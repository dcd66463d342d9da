import { DAY_SECONDS, dayOf } from '#core/scoring/days';
import {
  type Arguments,
  type ArgumentValue,
  type EvidenceEvent,
  sortEvents,
} from '#core/scoring/fold/event';
import type { BalanceEvent, WalletEvidence } from '#core/scoring/fold/score-wallet';
import { type EventRule, IMPORT } from '#core/scoring/model';
import type { Wallet } from '#core/wallet';
import type { KeptEvent } from './edition.ts';

/** Events of a wallet that rules may wait for. */
interface Input {
  readonly source: string;
  readonly name: string;
  readonly kept: KeptEvent[];
  /** In canonical order; made when a rule first asks, as most inputs are asked for by one or none. */
  events: readonly EvidenceEvent[] | undefined;
}

/** What is kept of one wallet, by what rules wait for. */
export class WalletInputs implements WalletEvidence {
  readonly #wallet: Wallet;
  readonly #end: number;
  readonly #inputs: Input[] = [];
  /** Time of the first event of each source. */
  readonly #first: { readonly source: string; time: number }[] = [];

  /**
   * @param events in any order; they are read fastest where those of an input lie together
   * @param end seconds since 1970; events from there on don't count yet
   */
  constructor(events: readonly KeptEvent[], wallet: Wallet, end: number) {
    this.#wallet = wallet;
    this.#end = end;
    // Few enough to be looked through, and most events belong where the one before them does.
    let input: Input | undefined;
    for (const event of events) {
      const { source, input: name, time } = event;
      if (input?.name !== name || input.source !== source) input = this.#inputOf(source, name);
      if (time < end) input.kept.push(event);
      this.#see(source, time);
    }
  }

  events({ trigger }: EventRule): readonly EvidenceEvent[] {
    if (trigger.kind !== 'import') return NONE;
    const input = this.#inputs.find(
      ({ source, name }) => source === IMPORT && name === trigger.event,
    );
    if (input === undefined) return NONE;
    input.events ??= this.#inOrder(input.kept);
    const { since } = trigger;
    if (since?.kind !== 'day') return input.events;
    return input.events.filter(({ time }) => time >= since.day * DAY_SECONDS);
  }

  balances(): readonly BalanceEvent[] {
    return [];
  }

  firstSeen(source: string): number | undefined {
    const time = this.#first.find((each) => each.source === source)?.time;
    return time === undefined || time >= this.#end ? undefined : dayOf(time);
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

  #inOrder(kept: readonly KeptEvent[]): readonly EvidenceEvent[] {
    const events = kept.map(({ height, place, time, args }): EvidenceEvent => {
      const named = args === '{}' ? NO_ARGUMENTS : new JsonArguments(args);
      return { height, place, wallet: this.#wallet, time, settled: time, args: named };
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
