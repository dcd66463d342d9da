import { RetryableError } from '#base/errors';
import type { SourceInput } from '#scoring/inputs/input';
import { DailyBalances } from '#sources/daily/daily-balances';
import { silentLog } from './log.ts';
import { type TokenChain, TokenEvidence } from './token-chain.ts';

export function inputSince(height: number): SourceInput {
  return {
    ...{
      kind: 'hold',
      source: 'eth',
      name: 'hold',
      since: { kind: 'height', height: BigInt(height) },
    },
    holding: {
      ...{ kind: 'erc20', contract: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB', by: 'balance' },
    },
  };
}

interface Reading {
  readonly since: number;
  /** How far each stretch may go; the last one holds from then on. */
  readonly widths: readonly number[];
  /** Whether the process restarts before each stretch. */
  readonly restarts: readonly boolean[];
  /** Whether the nodes fail when asked for balances. */
  readonly faults: readonly boolean[];
}

/** Reads a chain to its end, as a reader does. */
export async function evidenceOf(chain: TokenChain, reading: Reading): Promise<TokenEvidence> {
  const { since, widths, restarts, faults } = reading;
  const input = inputSince(since);
  const evidence = new TokenEvidence(await chain.begin(input.since));
  const { signal } = new AbortController();
  const options = { id: 'eth', chain, store: evidence.store(), log: silentLog };
  const begin = () => new DailyBalances({ ...options, highestWallet: () => 1 });
  let left = [...faults];
  chain.onAsked = () => {
    const [isFault = false] = left;
    left = left.slice(1);
    if (isFault) throw new RetryableError('no node can tell');
  };
  let days = begin();
  const end = await chain.end();
  for (let step = 0; evidence.position.height < end.height; step++) {
    if (restarts[step % restarts.length] === true) days = begin();
    chain.widest = widths[step % widths.length] ?? 1;
    const from = evidence.position;
    const request = { inputs: [input], states: [], from, signal };
    try {
      const { upTo, unanswered } = await days.upTo(request, end.height, end);
      if (unanswered.get('hold') !== undefined) continue;
      const read = await chain.read({ inputs: [input], from, upTo, signal });
      const { changes } = await days.balances(request, read);
      const events = [...read.events, ...changes];
      evidence.append({ source: 'eth', inputs: ['hold'], from, to: read.end, events });
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
  }
  return evidence;
}
