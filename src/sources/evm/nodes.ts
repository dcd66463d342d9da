import { RetryableError } from '#core/errors';
import { SourceStopped } from '#sources/source';
import { RpcFault } from './faults.ts';
import type { EvmNode } from './node.ts';

/** All nodes of a source, in the order in which they're named: the first that is well comes first. */
export class EvmNodes {
  readonly all: readonly EvmNode[];

  constructor(all: readonly EvmNode[]) {
    this.all = all;
  }

  /** Those that may be asked now. One that failed comes back to its place once it has rested. */
  get ready(): readonly EvmNode[] {
    return this.all.filter(({ isReady }) => isReady);
  }

  /**
   * Whether what one node says must be confirmed by another. A second node that is away, or keeps no
   * blocks that are so old, is waited for: without it nobody would see what the first one leaves out.
   */
  get needsSecond(): boolean {
    return this.all.length > 1;
  }

  /**
   * Asks one node after the other, in their order, until one answers.
   * @param but those that aren't asked
   * @throws RetryableError when none does
   */
  async first<T>(
    ask: (node: EvmNode) => Promise<T>,
    but: readonly EvmNode[] = [],
  ): Promise<{ readonly node: EvmNode; readonly answer: T }> {
    const faults: string[] = [];
    for (const node of this.ready.filter((each) => !but.includes(each))) {
      try {
        const answer = await ask(node);
        node.answered();
        return { node, answer };
      } catch (error) {
        if (!(error instanceof RpcFault)) throw error;
        faults.push(node.failed(error));
      }
    }
    throw new RetryableError(this.#words(faults, but));
  }

  /** What all nodes that are well say, in their order. @throws RetryableError when none is */
  async each<T>(ask: (node: EvmNode) => Promise<T>): Promise<readonly T[]> {
    const faults: string[] = [];
    const asked = this.ready.map(async (node) => {
      try {
        const answer = await ask(node);
        node.answered();
        return [answer];
      } catch (error) {
        if (!(error instanceof RpcFault)) throw error;
        faults.push(node.failed(error));
        return [];
      }
    });
    const answers = (await Promise.all(asked)).flat();
    if (answers.length === 0) throw new RetryableError(this.#words(faults, []));
    return answers;
  }

  #words(faults: readonly string[], but: readonly EvmNode[]): string {
    if (faults.length > 0) return `${faults.join('; ')}.`;
    const resting = this.all
      .filter((each) => !but.includes(each))
      .map((each) => `${each.host} ${each.status().lastFault ?? 'rests'}`);
    const who = but.length > 0 ? 'No second node' : 'No node';
    return `${who} can be asked now: ${resting.join('; ') || 'there is none'}.`;
  }
}

/** Says that nodes contradict each other. */
export function disagreement(one: EvmNode, other: EvmNode, about: string): SourceStopped {
  return new SourceStopped(
    `${one.host} and ${other.host} disagree about ${about}. Nothing of it is counted until they agree; a third node would settle it.`,
  );
}
