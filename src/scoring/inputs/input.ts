import { DAY_SECONDS } from '#base';
import type {
  Holding,
  HoldRule,
  RuleSet,
  ScoringRule,
  Start,
  Trigger,
  WalletPick,
} from '#scoring/model';
import type { Signature } from '#scoring/signature';
import type { InputState, SourcePosition } from './store.ts';

interface InputBase {
  /**
   * Identifies it permanently within its source: everything that decides which events it has, as
   * one text.
   */
  readonly name: string;
  readonly source: string;
  readonly since: Start;
}

/**
 * What is read from a source. Rules that differ only in conditions, caps or points share an input,
 * so a changed formula needs no new reading.
 */
export type SourceInput = InputBase &
  (
    | {
        readonly kind: 'evm-event';
        readonly contract: string;
        /** At least one. */
        readonly events: readonly Signature[];
        readonly wallet: WalletPick;
      }
    | { readonly kind: 'hold'; readonly holding: Holding }
    | {
        readonly kind: 'instruction';
        readonly program: string;
        readonly prefix: string;
        readonly wallet: WalletPick;
      }
    | {
        readonly kind: 'app-event' | 'app-method';
        readonly app: bigint;
        readonly event: Signature;
        readonly wallet: WalletPick;
      }
    | {
        readonly kind: 'asset-transfer';
        readonly asset: bigint;
        readonly transfer: 'received' | 'sent' | 'optin';
        readonly wallet: WalletPick;
      }
    | { readonly kind: 'vote'; readonly space: string }
  );

/** Whether the contract itself is asked for balances when days end; its events only name who may hold some. */
export function isAskedDaily(input: SourceInput): input is SourceInput & { kind: 'hold' } {
  return input.kind === 'hold' && isByBalance(input);
}

/** Whether a rule pays by what a contract says when days end, so that nobody knows what was held in between. */
export function isByBalance({ holding }: Pick<HoldRule, 'holding'>): boolean {
  return 'by' in holding && holding.by === 'balance';
}

/** What a rule is folded over; nothing for a rule about imports. */
export function inputsOf(rule: ScoringRule): readonly SourceInput[] {
  const { source } = rule;
  if (rule.kind === 'hold') {
    const { holding, since } = rule;
    const name = `hold ${heldText(holding)} since ${startText(since)}`;
    return [{ kind: 'hold', name, source, since, holding }];
  }
  const { trigger, wallet } = rule;
  if (trigger.kind === 'import') return [];
  const { since } = trigger;
  const name = (what: string) => `${what} wallet ${pickText(wallet)} since ${startText(since)}`;
  return eventInputs(trigger, source, wallet, name);
}

function eventInputs(
  trigger: Exclude<Trigger, { kind: 'import' }>,
  source: string,
  wallet: WalletPick,
  name: (what: string) => string,
): SourceInput[] {
  const { since } = trigger;
  const base = { source, since, wallet };
  switch (trigger.kind) {
    case 'evm-event':
      return trigger.contracts.map((contract) => ({
        ...{ ...base, kind: 'evm-event', contract, events: trigger.events },
        name: name(`event ${contract} ${trigger.events.map(signatureText).join(' or ')}`),
      }));
    case 'instruction': {
      const { kind, program, prefix } = trigger;
      return [{ ...base, kind, program, prefix, name: name(`program ${program} ${prefix}`) }];
    }
    case 'app-event':
    case 'app-method': {
      const { kind, app, event } = trigger;
      const what = `${kind} ${app} ${signatureText(event)}${returnText(event)}`;
      return [{ ...base, kind, app, event, name: name(what) }];
    }
    case 'asset-transfer': {
      const { kind, asset, transfer } = trigger;
      return [{ ...base, kind, asset, transfer, name: name(`asset ${asset} ${transfer}`) }];
    }
    case 'vote': {
      const { kind, space } = trigger;
      return [{ kind, source, since, space, name: `space ${space} since ${startText(since)}` }];
    }
  }
}

/** The space whose votes an input has, by the input's name; undefined for other inputs. */
export function spaceOf(name: string): string | undefined {
  return /^space (\S+) since /.exec(name)?.[1];
}

/** All inputs of some rules by source, each once. */
export function inputsBySource(
  sets: readonly Pick<RuleSet, 'rules'>[],
): ReadonlyMap<string, readonly SourceInput[]> {
  const bySource = new Map<string, Map<string, SourceInput>>();
  for (const input of sets.flatMap(({ rules }) => rules.flatMap(inputsOf))) {
    const known = bySource.get(input.source) ?? new Map<string, SourceInput>();
    known.set(input.name, input);
    bySource.set(input.source, known);
  }
  return new Map([...bySource].map(([source, inputs]) => [source, [...inputs.values()]]));
}

/** Includes names and which arguments are indexed, as both decide how a log is decoded. */
function signatureText({ name, args }: Signature): string {
  const parts = args.map((each) =>
    [each.type, ...(each.isIndexed ? ['indexed'] : []), ...(each.name ? [each.name] : [])].join(
      ' ',
    ),
  );
  return `${name}(${parts.join(',')})`;
}

/** What a method returns, as methods that differ in it alone are different ones. Nothing for `void` and for events. */
function returnText({ name, args, text }: Signature): string {
  const returned = text.slice(`${name}(${args.map(({ type }) => type).join(',')})`.length);
  return returned === 'void' ? '' : returned;
}

function heldText(holding: Holding): string {
  switch (holding.kind) {
    case 'erc20':
    case 'erc721':
      return `${holding.kind} ${holding.contract}${holding.by === undefined ? '' : ` by ${holding.by}`}`;
    case 'erc1155':
      return `erc1155 ${holding.contract} ${holding.token}`;
    case 'asa':
      return `asa ${holding.asset}`;
    case 'contract': {
      const changes = [holding.plus, holding.minus].map(
        ({ event, wallet, amount }) => `${signatureText(event)} ${wallet} ${amount}`,
      );
      return `contract ${holding.contract} plus ${changes.join(' minus ')}`;
    }
  }
}

function pickText(pick: WalletPick): string {
  if (pick.kind === 'argument') return pick.name;
  return pick.kind === 'given' ? 'given' : `${pick.kind} ${pick.place}`;
}

function startText(since: Start): string {
  return since.kind === 'height' ? String(since.height) : `day ${since.day}`;
}

/**
 * A position within a block as one text, so that byte order is path order. Numbers follow a letter
 * for their number of digits (`a7`, `b10`); parts are joined by dots.
 * @param path outermost part first; texts may only contain characters that sort after a dot
 */
export function pathPlace(path: readonly (number | bigint | string)[]): string {
  return path.map((part) => (typeof part === 'string' ? part : sortable(part))).join('.');
}

/** @param value from 0, with at most 26 digits */
export function sortable(value: number | bigint): string {
  const digits = String(value);
  // Nearly all; looking at their digits would take longer than the rest.
  if (Number.isSafeInteger(value) && (value as number) >= 0) {
    return String.fromCharCode(96 + digits.length) + digits;
  }
  if (!/^\d{1,26}$/.test(digits)) throw new Error(`${digits} can't be part of a place`);
  return String.fromCharCode(96 + digits.length) + digits;
}

/** The place of what an address held before the first block that was read: after all else of that height. */
export const START_PLACE = '~start';

/** The place of how an asked balance differs from the last one: after all logs of the day's last block. */
export const HELD_PLACE = '~held';

/** What of a rule's events was found, as far as its chain has been read. */
export interface RuleTrace {
  readonly source: string;
  readonly rule: ScoringRule;
  readonly events: number;
  /** Events that name no wallet or don't fit what the rule declares. */
  readonly leftOut: number;
  /** The height up to which all of its inputs are read. */
  readonly height: number;
}

/**
 * Rules that may be about something else than they say: they have left out events, or have found none at all.
 * @param states of all inputs; rules whose inputs haven't all begun are skipped
 */
export function doubtfulRules(
  sets: readonly Pick<RuleSet, 'rules'>[],
  states: readonly InputState[],
): readonly RuleTrace[] {
  const known = new Map(states.map((each) => [keyOf(each.source, each.name), each]));
  const seen = new Set<string>();
  return sets
    .flatMap(({ rules }) => rules)
    .flatMap((rule): RuleTrace[] => {
      const inputs = inputsOf(rule);
      const own = inputs.flatMap(({ source, name, since }) => {
        const state = known.get(keyOf(source, name));
        return state === undefined || isBefore(state.position, since) ? [] : [state];
      });
      const key = [rule.id, ...inputs.map(({ name }) => name)].join('\n');
      if (own.length === 0 || own.length < inputs.length || seen.has(key)) return [];
      seen.add(key);
      const events = own.reduce((sum, each) => sum + each.events, 0);
      const leftOut = own.reduce((sum, each) => sum + each.leftOut, 0);
      if (events > 0 && leftOut === 0) return [];
      const height = Math.min(...own.map(({ position }) => position.height));
      return [{ source: rule.source, rule, events, leftOut, height }];
    });
}

/** Whether nothing is read yet. */
function isBefore({ height, time }: SourcePosition, since: Start): boolean {
  return since.kind === 'height' ? height < since.height : time < since.day * DAY_SECONDS;
}

function keyOf(source: string, name: string): string {
  return `${source} ${name}`;
}
