import type { HoldText } from '#scoring/grammar/hold';
import type { BalanceChange, Holding, HoldRule } from '#scoring/model';
import { saidOf, unitsOf } from '#scoring/shape/amount';
import { parseSolidityEvent } from '#scoring/signature/solidity';
import type { Path } from '#scoring/tree';
import { type BuildContext, readSignature, readStart, readWallet, readWallets } from './context.ts';
import { sourceOf } from './trigger.ts';
import { usableArgument } from './where.ts';

type Held = Pick<HoldRule, 'holding' | 'min' | 'said' | 'except' | 'since'>;

/** @returns undefined if something is wrong with it, which is recorded as a fault */
export function buildHold(context: BuildContext, path: Path, text: HoldText): Held | undefined {
  const kind = 'asa' in text ? 'algorand' : 'evm';
  sourceOf(context, path, text.source, kind);
  const except = readWallets(context, [...path, 'except'], text.except ?? [], kind);
  const since = readStart(context, [...path, 'since'], text.since);
  const holding = buildHolding(context, path, text);
  if (holding === undefined) return undefined;
  return {
    ...{ holding, since, except: except.map(({ address }) => address) },
    min: unitsOf(text.min),
    ...saidOf(text.min),
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
