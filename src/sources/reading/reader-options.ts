import type { Logger } from '#base';
import type { Replica } from '#cluster';
import type { EvidenceStore, SourceInput } from '#scoring';
import type { ChainSource } from '#sources/source';

/** What to read from a source; may change at any time. */
export interface WantedInputs {
  readonly inputs: readonly SourceInput[];
  /** Names of the inputs that live rules need. */
  readonly live: ReadonlySet<string>;
  /** Canonical addresses that no rule counts. */
  readonly nobody: ReadonlySet<string>;
}

export interface SourceReaderOptions {
  readonly id: string;
  /** Its chain in the rules file. */
  readonly chainId: string;
  readonly chain: ChainSource;
  readonly store: EvidenceStore;
  /** The highest id of a wallet with evidence. */
  readonly highestWallet: () => Promise<number> | number;
  readonly wanted: () => WantedInputs;
  readonly replica: Pick<Replica, 'during' | 'peersAnnounce'>;
  readonly log: Logger;
  /** For tests. */
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly stoppedMs?: number;
  readonly unreadMs?: number;
  readonly compareAgainMs?: number;
}
