import { fileURLToPath } from 'node:url';
import { CORES, pause, start, stop, within } from '../process.ts';
import type { VoteChain } from './votes.ts';

/** What a node was asked for. */
interface NodeCounts {
  /** HTTP requests, and ranges of logs in them. */
  readonly requests: number;
  readonly ranges: number;
  /** When the first range was asked for, in milliseconds since 1970. */
  readonly firstAt: number;
}

export interface RunningNode {
  readonly url: string;
  counts(): Promise<NodeCounts>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('node-process.ts', import.meta.url));

/** Starts the node of a chain as a process of its own, which takes no time from those who ask it. */
export async function startChainNode(chain: VoteChain, cwd: string): Promise<RunningNode> {
  const child = start({
    program: process.execPath,
    args: ['--max-old-space-size=2048', SCRIPT, String(chain.votes), String(chain.perBlock)],
    ...{ cores: CORES.all, cwd, isElsewhere: true },
  });
  const listening = async () => {
    for (;;) {
      const port = /^listening on (\d+)$/m.exec(child.output.out)?.[1];
      if (port !== undefined) return port;
      await pause(20);
    }
  };
  const url = `http://127.0.0.1:${await within(listening(), 60, 'the node to listen')}`;
  return {
    url,
    counts: async () => (await (await fetch(url)).json()) as NodeCounts,
    stop: () => stop(child),
  };
}
