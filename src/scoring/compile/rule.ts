import { sanitizeText } from '#base';
import { quoted } from '#scoring/faults';
import { type RuleText, TITLE_MAX } from '#scoring/grammar/file';
import type { HoldText } from '#scoring/grammar/give';
import { type TriggerText, UINT64_MAX } from '#scoring/grammar/trigger';
import {
  type BalanceChange,
  type Holding,
  type HoldRule,
  IMPORT,
  type RuleTitle,
  type ScoringRule,
  type Source,
  type Trigger,
  type WalletPick,
} from '#scoring/model';
import { unitsOf, withTokenAmount } from '#scoring/shape/amount';
import { asList } from '#scoring/shape/collections';
import { unknownWord } from '#scoring/shape/scalar';
import {
  type Argument,
  type ArgumentKind,
  argumentNames,
  parseArc4Method,
  parseArc28Event,
  parseSolidityEvent,
  type Signature,
} from '#scoring/signature';
import { SOURCE_KINDS, type SourceKind } from '#scoring/source-kind';
import type { Path } from '#scoring/tree';
import { buildGive, buildWhere, usableArgument } from './clauses.ts';
import { type BuildContext, readSignature, readStart, readWallet, readWallets } from './context.ts';

/** @returns undefined if something is wrong with it, which is recorded as a fault */
export function buildRule(
  context: BuildContext,
  path: Path,
  text: RuleText,
  badges: readonly string[],
): ScoringRule | undefined {
  const { faults, sources } = context;
  const { id, on, hold, where = {}, once } = text;
  const title = buildTitle(text.title);
  if (on !== undefined && hold !== undefined) {
    faults.at(path, 'A rule has "on" or "hold", not both.');
    return undefined;
  }
  if (hold !== undefined) {
    for (const field of ['wallet', 'where', 'once'] as const) {
      if (text[field] !== undefined)
        faults.at([...path, field], `"${field}" doesn't go with "hold".`);
    }
    const give = buildGive(context, [...path, 'give'], text.give, [], badges);
    const held = buildHold(context, [...path, 'hold'], hold);
    return held && { ...held, kind: 'hold', id, title, source: hold.source, give };
  }
  if (on === undefined) {
    faults.at(
      path,
      'A rule needs "on" (points for events) or "hold" (points for days of holding).',
    );
    return undefined;
  }
  const trigger = buildTrigger(context, [...path, 'on'], on);
  if (trigger === undefined) return undefined;
  const args = argumentsOf(trigger);
  const source = 'source' in on ? on.source : IMPORT;
  const kind = sources.get(source)?.kind;
  const keys = once === undefined ? [] : asList(once);
  keys.forEach((name, index) => {
    const at = typeof once === 'string' ? [...path, 'once'] : [...path, 'once', index];
    usableArgument(context, at, args, name);
    if (keys.indexOf(name) !== index) faults.at(at, `"${name}" is in the list twice.`);
  });
  const wallet = buildWallet(context, path, trigger, args, text.wallet);
  const conditions = buildWhere(context, [...path, 'where'], args, where, kind);
  const give = buildGive(context, [...path, 'give'], text.give, args, badges, conditions);
  return {
    ...{ kind: 'event', id, title, source, trigger, wallet },
    ...{ where: conditions, once: keys, give },
  };
}

/** Safe to show, though members read it wherever scores are explained. */
function buildTitle(text: RuleText['title']): RuleTitle | undefined {
  if (typeof text !== 'object') return text && sanitizeText(text, TITLE_MAX);
  return new Map(Object.entries(text).map(([key, each]) => [key, sanitizeText(each, TITLE_MAX)]));
}

const GIVEN: WalletPick = { kind: 'given' };

function buildWallet(
  context: BuildContext,
  path: Path,
  trigger: Trigger,
  args: readonly Argument[] | undefined,
  text: RuleText['wallet'],
): WalletPick {
  const { faults } = context;
  const at = [...path, 'wallet'];
  if (trigger.kind === 'import' || trigger.kind === 'vote') {
    const whose = trigger.kind === 'vote' ? 'the voter' : 'the address of the line';
    if (text !== undefined) faults.at(at, `The wallet is ${whose}; leave "wallet" out.`);
    return GIVEN;
  }
  if (text === undefined) {
    const names = trigger.kind === 'instruction' ? ['signer'] : addressNames(args ?? []);
    faults.at(path, `"wallet" is missing: which argument names the wallet (${names.join(', ')}).`);
    return GIVEN;
  }
  if (typeof text === 'object') {
    if (trigger.kind !== 'instruction') {
      faults.at(at, '"account" and "owner_of" are for Solana instructions.');
    }
    return 'account' in text
      ? { kind: 'account', place: Number(text.account) }
      : { kind: 'owner-of', place: Number(text.owner_of) };
  }
  const argument = usableArgument(context, at, args, text);
  if (argument !== undefined && argument.kind !== 'address') {
    faults.at(
      at,
      `"${text}" isn't an address but ${argument.kind}. Addresses: ${addressNames(args ?? []).join(', ') || 'none'}.`,
    );
  }
  return { kind: 'argument', name: text };
}

function addressNames(args: readonly Argument[]): string[] {
  const names = argumentNames(args);
  return names.filter((_, place) => args[place]?.kind === 'address');
}

/** Arguments that rules can name; undefined if the event itself decides. */
function argumentsOf(trigger: Trigger): readonly Argument[] | undefined {
  switch (trigger.kind) {
    case 'import':
      return undefined;
    case 'evm-event':
      return commonArguments(trigger.events);
    case 'app-event':
    case 'app-method':
      return trigger.event.args.some(({ name }) => name === 'sender')
        ? trigger.event.args
        : [...trigger.event.args, given('sender', 'address')];
    case 'asset-transfer':
      return [
        given('sender', 'address'),
        given('receiver', 'address'),
        given('amount', 'integer'),
        given('closeTo', 'address'),
        given('closeAmount', 'integer'),
      ];
    case 'instruction':
      return [given('signer', 'address')];
    case 'vote':
      return [given('voter', 'address'), given('proposal', 'text')];
  }
}

/** Those that all declarations of an event have by the same name; of a single one, all. */
function commonArguments([first, ...others]: readonly Signature[]): readonly Argument[] {
  if (first === undefined || others.length === 0) return first?.args ?? [];
  return first.args.flatMap((each): Argument[] => {
    if (each.name === undefined) return [];
    const same = others.map(({ args }) => args.find(({ name }) => name === each.name));
    if (!same.every((other) => other?.kind === each.kind)) return [];
    const most = [each, ...same].map((one) => one?.max);
    const max = most.reduce((one, other) =>
      one === undefined || other === undefined || one > other ? one : other,
    );
    return [{ ...each, max }];
  });
}

function given(name: string, kind: ArgumentKind): Argument {
  const max = kind === 'integer' ? UINT64_MAX : undefined;
  return { name, type: kind, kind, isIndexed: false, max };
}

type Held = Pick<HoldRule, 'holding' | 'min' | 'tokenAmount' | 'except' | 'since'>;

/** @returns undefined if something is wrong with it, which is recorded as a fault */
function buildHold(context: BuildContext, path: Path, text: HoldText): Held | undefined {
  const kind = 'asa' in text ? 'algorand' : 'evm';
  sourceOf(context, path, text.source, kind);
  const except = readWallets(context, [...path, 'except'], text.except ?? [], kind);
  const since = readStart(context, [...path, 'since'], text.since);
  const holding = buildHolding(context, path, text);
  if (holding === undefined) return undefined;
  return {
    ...{ holding, since, except: except.map(({ address }) => address) },
    min: unitsOf(text.min),
    ...withTokenAmount(text.min),
  };
}

function buildHolding(context: BuildContext, path: Path, text: HoldText): Holding | undefined {
  const contractAt = (field: string, address: string) =>
    readWallet(context, [...path, field], address, 'evm')?.address;
  if ('asa' in text) return { kind: 'asa', asset: text.asa };
  if ('erc20' in text) {
    const contract = contractAt('erc20', text.erc20);
    return contract === undefined ? undefined : { kind: 'erc20', contract, by: byOf(text) };
  }
  if ('erc721' in text) {
    const contract = contractAt('erc721', text.erc721);
    return contract === undefined ? undefined : { kind: 'erc721', contract, by: byOf(text) };
  }
  if ('erc1155' in text) {
    const contract = contractAt('erc1155', text.erc1155);
    return contract === undefined ? undefined : { kind: 'erc1155', contract, token: text.token };
  }
  const contract = contractAt('contract', text.contract);
  const plus = buildChange(context, [...path, 'plus'], text.plus);
  const minus = buildChange(context, [...path, 'minus'], text.minus);
  if (contract === undefined || plus === undefined || minus === undefined) return undefined;
  return { kind: 'contract', contract, plus, minus };
}

function byOf({ by }: { readonly by?: string | undefined }): 'events' | 'balance' | undefined {
  return by === 'events' || by === 'balance' ? by : undefined;
}

function buildChange(
  context: BuildContext,
  path: Path,
  text: { readonly event: string; readonly wallet: string; readonly amount: string },
): BalanceChange | undefined {
  const event = readSignature(context, [...path, 'event'], text.event, parseSolidityEvent);
  if (event === undefined) return undefined;
  for (const [field, kind] of [
    ['wallet', 'address'],
    ['amount', 'integer'],
  ] as const) {
    const argument = usableArgument(context, [...path, field], event.args, text[field]);
    if (argument !== undefined && argument.kind !== kind) {
      context.faults.at([...path, field], `"${text[field]}" is ${argument.kind}, not ${kind}.`);
    }
  }
  return { event, wallet: text.wallet, amount: text.amount };
}

/** The source that a rule names, if it's of the kind that the trigger needs. */
function sourceOf(
  { faults, sources }: BuildContext,
  path: Path,
  id: string,
  kind: SourceKind,
): Source | undefined {
  const source = sources.get(id);
  if (source === undefined) {
    faults.at([...path, 'source'], unknownWord('source', id, [...sources.keys()]));
    return undefined;
  }
  if (source.kind === kind) return source;
  faults.at(
    [...path, 'source'],
    `This trigger needs a source of ${SOURCE_KINDS[kind].label}; ${quoted(id)} is ${source.chain}.`,
  );
  return undefined;
}

/** @returns undefined if something is wrong with it, which is recorded as a fault */
function buildTrigger(context: BuildContext, path: Path, text: TriggerText): Trigger | undefined {
  if ('import' in text) {
    const since =
      text.since === undefined ? undefined : readStart(context, [...path, 'since'], text.since);
    return { kind: 'import', event: text.import, since };
  }
  const since = readStart(context, [...path, 'since'], text.since);
  if ('contract' in text) {
    sourceOf(context, path, text.source, 'evm');
    const isList = typeof text.contract === 'object';
    const contracts = asList(text.contract).map((each, index) =>
      readWallet(context, [...path, 'contract', ...(isList ? [index] : [])], each, 'evm'),
    );
    refuseRepeated(context, [...path, 'contract'], contracts);
    const events = readDeclarations(context, [...path, 'event'], text.event);
    if (events === undefined) return undefined;
    const addresses = contracts.flatMap((each) => (each === undefined ? [] : [each.address]));
    return { kind: 'evm-event', contracts: addresses, events, since };
  }
  if ('program' in text) {
    sourceOf(context, path, text.source, 'solana');
    const program = readWallet(context, [...path, 'program'], text.program, 'solana');
    if (program === undefined) return undefined;
    const { address } = program;
    return { kind: 'instruction', program: address, prefix: text.prefix.toLowerCase(), since };
  }
  if ('space' in text) {
    sourceOf(context, path, text.source, 'snapshot');
    return { kind: 'vote', space: text.space, since };
  }
  sourceOf(context, path, text.source, 'algorand');
  if ('asset' in text) {
    return { kind: 'asset-transfer', asset: text.asset, transfer: text.transfer, since };
  }
  if ('method' in text) {
    const event = readSignature(context, [...path, 'method'], text.method, parseArc4Method);
    return event && { kind: 'app-method', app: text.app, event, since };
  }
  const event = readSignature(context, [...path, 'event'], text.event, parseArc28Event);
  return event && { kind: 'app-event', app: text.app, event, since };
}

/** @returns undefined if one is invalid, or if a log could be of two of them */
function readDeclarations(
  context: BuildContext,
  path: Path,
  text: string | readonly string[],
): readonly Signature[] | undefined {
  const isList = typeof text === 'object';
  const read = asList(text).map((each, index) =>
    readSignature(context, [...path, ...(isList ? [index] : [])], each, parseSolidityEvent),
  );
  const events = read.filter((each) => each !== undefined);
  if (events.length < read.length) return undefined;
  const forms = events.map(
    ({ text: selected, args }) => `${selected} ${args.filter((each) => each.isIndexed).length}`,
  );
  forms.forEach((form, index) => {
    if (forms.indexOf(form) === index) return;
    context.faults.at(
      [...path, index],
      'Logs of this event and of one above it look the same: as many arguments are indexed.',
    );
  });
  return events;
}

function refuseRepeated(
  { faults }: BuildContext,
  path: Path,
  contracts: readonly ({ readonly address: string } | undefined)[],
): void {
  const addresses = contracts.map((each) => each?.address);
  addresses.forEach((each, index) => {
    if (each !== undefined && addresses.indexOf(each) !== index) {
      faults.at([...path, index], `${each} is in the list twice.`);
    }
  });
}
