import { chains } from '#chains/index';
import type { Logger } from '#core/logger';
import type { Store } from '#core/ports';
import { createWalletParser } from '#core/wallet';
import type { Replica } from '#core/work/replica';
import { LiveRules, type RulesStatus } from '#rules/live-rules';
import { type SourceStatus, Sources } from '#sources/sources';

/** How scoring is, for operators. */
export interface ScoringState {
  /** Undefined where there are no rules, nor a file. */
  readonly rules: RulesStatus | undefined;
  readonly sources: readonly SourceStatus[];
  /** Whether evidence isn't being scored. */
  readonly isUnscored: boolean;
}

/** What turns evidence into scores, wherever it runs. */
export interface ScoringRunner {
  state(): ScoringState;
  begin(): void;
  /** Ends after the commit that is under way. */
  stop(): Promise<void>;
}

export type UnscoredPart = 'rules' | 'sources';

export interface ScoringEngineOptions {
  /** The rules file; undefined where none is configured. */
  readonly path: string | undefined;
  readonly store: Store;
  readonly replica: Replica;
  readonly log: Logger;
  /** Shows what was written here at once. */
  readonly refresh: () => Promise<void>;
  /** Told again and again whether scores lack evidence. */
  readonly mark: (part: UnscoredPart, isUnscored: boolean) => void;
  /** Whether another replica can't score. */
  readonly isUnscoredElsewhere: () => boolean;
  /** Wallets that go into one commit, for which others wait. */
  readonly atOnce?: number;
}

/** Reads the sources that rules need, and follows the rules. */
export class ScoringEngine implements ScoringRunner {
  readonly #rules: LiveRules;
  readonly #sources: Sources;

  constructor({ store, mark, isUnscoredElsewhere, ...options }: ScoringEngineOptions) {
    const { replica, log } = options;
    this.#rules = new LiveRules({
      ...options,
      ...{ store: store.scoring, wallets: createWalletParser(chains), isUnscoredElsewhere },
      markUnscored: (isUnscored) => mark('rules', isUnscored),
      isReading: () => this.#sources.isReading,
    });
    this.#sources = new Sources({
      ...{ store: store.evidence, replica, log },
      // The rules file names them, so they're read when it's known.
      variable: (name) => process.env[name],
      highestWallet: () => store.scoring.highestWallet(),
      wanted: () => this.#rules.wanted(),
      markUnread: (isUnread) => mark('sources', isUnread),
    });
  }

  state(): ScoringState {
    return {
      rules: this.#rules.status(),
      sources: this.#sources.status(),
      isUnscored: this.#rules.isUnscored,
    };
  }

  begin(): void {
    this.#rules.begin();
    this.#sources.begin();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#rules.stop(), this.#sources.stop()]);
  }
}
