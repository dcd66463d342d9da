import { quoted } from '#scoring/faults';
import type { TriggerText } from '#scoring/grammar/trigger';
import type { Source, Trigger } from '#scoring/model';
import { asList } from '#scoring/shape/list';
import { unknownWord } from '#scoring/shape/scalar';
import { parseArc4Method, parseArc28Event } from '#scoring/signature/arc4';
import type { Signature } from '#scoring/signature/parse';
import { parseSolidityEvent } from '#scoring/signature/solidity';
import { SOURCE_KINDS, type SourceKind } from '#scoring/source-kind';
import type { Path } from '#scoring/tree';
import { type BuildContext, readSignature, readStart, readWallet } from './context.ts';

/** The source that a rule names, if it's of the kind that the trigger needs. */
export function sourceOf(
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
export function buildTrigger(
  context: BuildContext,
  path: Path,
  text: TriggerText,
): Trigger | undefined {
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
