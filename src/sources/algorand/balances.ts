import { transferOf } from './decoders.ts';
import type { Transaction } from './transaction.ts';
import { checkedAddress } from './walk.ts';

/** A change to one account's balance, made by one transaction. */
export interface BalanceDelta {
  readonly suffix: string;
  readonly address: string;
  readonly amount: bigint;
}

/** The creator of an asset, who holds all of it at creation, and how much that is. */
export interface AssetOrigin {
  readonly creator: string;
  readonly total: bigint;
}

/**
 * How a transaction changed the balances of an asset. For its destruction, see `isDestroyed`.
 * @throws MalformedAnswer
 */
export function balanceChanges(transaction: Transaction, asset: bigint): BalanceDelta[] {
  const made = originIn(transaction, asset);
  if (made !== undefined) return changeOf(made.creator, made.total);
  const moved = transferOf(transaction, asset);
  if (moved === undefined) return [];
  const { sender, receiver, amount, closeTo, closeAmount } = moved;
  return [
    ...move(sender, receiver, amount, ''),
    ...(closeTo === undefined ? [] : move(sender, closeTo, closeAmount, '.close')),
  ];
}

/** At its destruction the creator holds all of an asset again, whoever sends the transaction. */
export function changesAtEnd({ creator, total }: AssetOrigin): BalanceDelta[] {
  return changeOf(creator, -total);
}

export function isDestroyed(transaction: Transaction, asset: bigint): boolean {
  const config = transaction['asset-config-transaction'];
  return (
    config !== undefined && config.params === undefined && BigInt(config['asset-id'] ?? 0) === asset
  );
}

/** Undefined unless the transaction creates the asset. */
export function originIn(transaction: Transaction, asset: bigint): AssetOrigin | undefined {
  if (BigInt(transaction['created-asset-index'] ?? 0) !== asset) return undefined;
  const total = BigInt(transaction['asset-config-transaction']?.params?.total ?? 0);
  return { creator: checkedAddress(transaction.sender), total };
}

function changeOf(address: string, amount: bigint): BalanceDelta[] {
  return amount === 0n ? [] : [{ suffix: '', address, amount }];
}

function move(from: string, to: string, amount: bigint, suffix: string): BalanceDelta[] {
  if (amount === 0n || from === to) return [];
  return [
    { suffix, address: from, amount: -amount },
    { suffix, address: to, amount },
  ];
}
