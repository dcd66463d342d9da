import { DAY_SECONDS } from '#base/time/time';
import { inputsBySource, pathPlace } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import type { Wallet } from '#wallet/wallet';
import { CHAIN_RULES as RULES } from '../support/chain-rules.ts';
import { validRules } from '../support/rules.ts';
import { TODAY } from '../support/scoring.ts';

export const ETH = { id: 'eth', chain: 'eip155:1' };
/** The first midnight of the tests. */
export const DAY = TODAY - 5;
export const FIRST = { proposalId: '1', weight: '10' };
export const SECOND = { proposalId: '2', weight: '9' };

export const [VOTE = '', HOLD = ''] = (
  inputsBySource([validRules(RULES).rules]).get('eth') ?? []
).map(({ name }) => name);

/** Seconds since 1970, for an hour of one of the tests' days. */
export const at = (day: number, hour = 0) => (DAY + day) * DAY_SECONDS + hour * 3_600;

export function position(height: number, time: number): SourcePosition {
  return { height, hash: `0x${height}`, time };
}

export function vote(wallet: Wallet, height: number, index: number, args: object): SourceEvent {
  const place = pathPlace([1, index]);
  return {
    ...{ input: 0, wallet, height, place, time: at(0, height - 100), transaction: `0xt${height}` },
    args: JSON.stringify(args),
  };
}

export function change(wallet: Wallet, height: number, time: number, amount: string): SourceEvent {
  const args = JSON.stringify({ amount });
  return { input: 1, wallet, height, place: pathPlace([1, 9]), time, args, transaction: '0xt' };
}
