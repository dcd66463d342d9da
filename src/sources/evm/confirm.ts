import { RetryableError } from '#core/errors';
import type { SourcePosition } from '#core/scoring/reading/store';
import type { CompiledInputs } from './compile.ts';
import { RpcFault } from './faults.ts';
import { type EvmLog, logText } from './log.ts';
import type { EvmNode } from './node.ts';
import { disagreement, type EvmNodes } from './nodes.ts';
import { type RangeAnswer, readLogRange } from './range.ts';

export interface ConfirmOptions {
  readonly nodes: EvmNodes;
  /** The node whose answer is to be confirmed. */
  readonly node: EvmNode;
  readonly answer: RangeAnswer;
  readonly inputs: CompiledInputs;
  readonly from: SourcePosition;
  readonly signal: AbortSignal;
}

/**
 * Compares an answer with a second node's: a log that one of them leaves out can't be seen in any
 * other way. Where they differ a third node settles it, else nothing is taken.
 * @throws RetryableError when no second node can be asked now, or the answer was the wrong one;
 *   SourceStopped when they contradict each other and nobody settles it
 */
export async function confirmRange(options: ConfirmOptions): Promise<void> {
  const { nodes, node, answer, from } = options;
  const second = await readWhole(options, [node]);
  if (isSame(answer, second.answer)) return;
  const range = `blocks ${from.height + 1} to ${answer.last.height}`;
  const others = nodes.ready.filter((each) => each !== node && each !== second.node);
  const third = others.length > 0 ? await readWhole(options, [node, second.node]) : undefined;
  if (third === undefined) throw disagreement(node, second.node, range);
  const wrong = isSame(answer, third.answer)
    ? second.node
    : isSame(second.answer, third.answer)
      ? node
      : undefined;
  if (wrong === undefined) throw disagreement(node, second.node, range);
  const words = wrong.failed(new RpcFault('wrong', `differs from two other nodes about ${range}`));
  if (wrong === node) throw new RetryableError(`${words}. Reading them again elsewhere.`);
}

/** Reads the same blocks of another node, in as many parts as it needs. */
async function readWhole(
  { nodes, answer, inputs, from, signal }: ConfirmOptions,
  but: readonly EvmNode[],
): Promise<{ readonly node: EvmNode; readonly answer: RangeAnswer }> {
  const upTo = answer.last.height;
  return await nodes.first(async (node) => {
    const logs: EvmLog[] = [];
    for (let at = from.height; ; ) {
      const part = await readLogRange(node, inputs, { from: at, upTo }, signal);
      for (const log of part.logs) logs.push(log);
      at = part.last.height;
      if (at === upTo) return { before: undefined, last: part.last, logs };
    }
  }, but);
}

function isSame(one: RangeAnswer, other: RangeAnswer): boolean {
  if (one.last.hash !== other.last.hash || one.last.time !== other.last.time) return false;
  return (
    one.logs.length === other.logs.length &&
    one.logs.every((log, place) => isSameLog(log, other.logs[place] as EvmLog))
  );
}

/** Not every node says the time. */
function isSameLog(one: EvmLog, other: EvmLog): boolean {
  if (logText(one) !== logText(other)) return false;
  return one.time === undefined || other.time === undefined || one.time === other.time;
}
