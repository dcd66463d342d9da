import { toEventSelector, toFunctionSelector } from 'viem';
import type { SourceInput } from '#scoring';
import { type ContractCode, delegates } from './proxy.ts';
import { SHARES, USE_BALANCE } from './token-kind.ts';

/** What to say of a proxy; undefined where a contract runs its own code. */
export function proxyWords({ proxied }: ContractCode): string | undefined {
  switch (proxied?.kind) {
    case undefined:
      return undefined;
    case 'clone':
      return `It's a clone of ${proxied.of}, which answers for it.`;
    case 'proxy':
    case 'beacon':
      return `It's a proxy of ${proxied.of}, which can be exchanged, and its events with it.`;
    case 'account':
      return `It's an account that borrows the code of ${proxied.of}, which its owner can exchange.`;
    case 'unknown':
      return proxied.isRefused
        ? "It may be a proxy: it can run another contract's code, but the node doesn't tell which (eth_getStorageAt)."
        : "It hands calls on to another contract, which can't be told.";
  }
}

/** Events that move balances beside transfers, by kind of token; all of those in a list must be there. */
const MOVES: Readonly<Record<'erc20' | 'erc721', readonly (readonly string[])[]>> = {
  erc20: [
    ['Deposit(address,uint256)', 'Withdrawal(address,uint256)'],
    ['Assign(address,uint256)', 'PunkTransfer(address,address,uint256)'],
  ],
  erc721: [['ConsecutiveTransfer(uint256,uint256,address,address)']],
};

/**
 * Events that move balances without a transfer, but don't tell whose, or come beside one elsewhere: USDT's and BNB's.
 * All of a list must be there.
 */
const SILENT: readonly (readonly string[])[] = [
  ['Issue(uint256)', 'Redeem(uint256)'],
  ['Burn(address,uint256)', 'Freeze(address,uint256)', 'Unfreeze(address,uint256)'],
];

/** What to say of a token whose code moves balances by events that can't be added up, however its newest logs fit. */
export function silentWords(input: SourceInput, { run = '' }: ContractCode): string | undefined {
  if (input.kind !== 'hold' || input.holding.kind !== 'erc20') return undefined;
  if (input.holding.by === 'balance') return undefined;
  const moves = SILENT.find((texts) => texts.every((text) => codeLogs(run, text)));
  if (moves === undefined) return undefined;
  return `It also moves tokens by ${namesOf(moves)}, which can't be added up: ${USE_BALANCE}`;
}

function namesOf(events: readonly string[]): string {
  const names = events.map((text) => text.slice(0, text.indexOf('(')));
  return names.join(', ').replace(/, (\w+)$/, ' and $1');
}

/**
 * What the code that answers says about an input whose newest logs say too little; undefined if nothing, or if that
 * code can't be told.
 */
export function codeWords(input: SourceInput, { run, proxied }: ContractCode): string | undefined {
  if (run === undefined || run === '') return undefined;
  const whose = proxied === undefined ? 'Its code' : 'The code that answers for it';
  const logs = (text: string) => codeLogs(run, text);
  if (input.kind === 'evm-event') {
    // Code that this one runs in turn may log it, too.
    if (delegates(run) || input.events.some(({ text }) => logs(text))) return undefined;
    return `${whose} has no such event: is it declared as in the contract?`;
  }
  if (input.kind !== 'hold') return undefined;
  const { holding } = input;
  if (!(holding.kind === 'erc20' || holding.kind === 'erc721')) return undefined;
  if (holding.by === 'balance') return undefined;
  if (SHARES.some((each) => run.includes(`63${toFunctionSelector(each).slice(2)}`))) {
    return `${whose} keeps shares, so balances change without events (it rebases): ${USE_BALANCE}`;
  }
  if (holding.by === 'events') return undefined;
  const moves = MOVES[holding.kind].find((texts) => texts.every(logs));
  if (moves === undefined) return undefined;
  return `${whose} also logs ${namesOf(moves)}: if these move balances without a Transfer beside them, add "by: events" to "hold".`;
}

/** Whether code mentions an event, which it must to log it. @param code without 0x */
export function codeLogs(code: string, event: string): boolean {
  return code.includes(significant(toEventSelector(event)));
}

/** A hash as code has it: without leading zeros. */
function significant(hash: string): string {
  return hash.slice(2).replace(/^(?:00)+/, '');
}
