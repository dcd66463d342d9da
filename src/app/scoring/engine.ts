import type { DataSources } from '#app/data/data-sources';
import type { Logger } from '#base';
import {
  failingIn,
  failsNotice,
  PARTIAL_NOTICE,
  type Replica,
  type WorkHealth,
  type WorkHealths,
  worksNotice,
} from '#cluster';
import type { ScoringStore } from '#scoring';
import { LiveRules, RULES_CLAIM, type RulesStatus } from '#scoring/rules-file';
import { type SourceStatus, Sources } from '#sources';
import type { Store } from '#storage';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/** The state of scoring, for operators. */
export interface ScoringState {
  /** Undefined if there's neither a rules file nor live rules. */
  readonly rules: RulesStatus | undefined;
  readonly sources: readonly SourceStatus[];
  /** Whether evidence isn't being scored. */
  readonly isUnscored: boolean;
  /** See `LiveRules.isMissing`. */
  readonly isWithoutRules?: boolean;
  /** How often the thread was started again; undefined without one. */
  readonly restarts?: number;
}

/** Turns evidence into scores, in this thread or another. */
export interface ScoringRunner {
  state(): ScoringState;
  begin(): void;
  /** Stops after the current commit. */
  stop(): Promise<void>;
}

/** If a part fails on every replica, scores lack evidence. */
export type ScoringPart = 'rules' | 'sources';

interface ScoringEngineOptions {
  /** The rules file; undefined if none is configured. */
  readonly path: string | undefined;
  readonly store: Store;
  readonly replica: Replica;
  readonly log: Logger;
  /** Makes our own commits visible at once. */
  readonly refresh: () => Promise<void>;
  /** Called again and again with how a part goes, and whether it has yet to catch up. */
  readonly report: (part: ScoringPart, healths: WorkHealths, isPartial?: boolean) => void;
  /** Wallets per commit; other writers wait for it. */
  readonly runSteps?: number;
}

/** Reads the sources that rules need, and keeps scores up to date with the rules. */
export class ScoringEngine implements ScoringRunner {
  readonly #rules: LiveRules;
  readonly #sources: Sources;

  constructor({ store, report, ...options }: ScoringEngineOptions) {
    const { replica, log, refresh } = options;
    const caughtUp = new CaughtUp(store.scoring, refresh);
    // Until it's known which rules are live, nothing is known of what they need.
    let isKnown = false;
    this.#rules = new LiveRules({
      ...options,
      ...{ store: store.scoring, wallets: createWalletParser(chains) },
      report: (health) => report('rules', new Map(health && [[RULES_CLAIM, health]])),
      isReading: () => this.#sources.isReading,
    });
    this.#sources = new Sources({
      ...{ store: store.evidence, replica, log },
      // The rules file names the variables, so they're read once it's known.
      variable: (name) => process.env[name],
      highestWallet: () => store.scoring.highestWallet(),
      wanted: () => {
        isKnown = this.#rules.isPending !== undefined;
        return this.#rules.wanted();
      },
      report: async (healths, isFar) => {
        const { isPending = true } = this.#rules;
        if (isKnown) report('sources', healths, await caughtUp.isPartial(isFar || isPending));
      },
    });
  }

  state(): ScoringState {
    return {
      rules: this.#rules.status(),
      sources: this.#sources.status(),
      isUnscored: this.#rules.isUnscored || this.#rules.isStarting,
      isWithoutRules: this.#rules.isMissing,
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

/** Whether scores have caught up with what was read: reading reaches the end before scoring does. */
export class CaughtUp {
  readonly #scoring: Pick<ScoringStore, 'live' | 'arrivals'>;
  readonly #refresh: () => Promise<void>;
  #mayLack = false;

  /** @param refresh makes our own commits visible */
  constructor(scoring: Pick<ScoringStore, 'live' | 'arrivals'>, refresh: () => Promise<void>) {
    this.#scoring = scoring;
    this.#refresh = refresh;
  }

  /** @param isFar whether much is still to be read, after which all of it is to be scored once */
  async isPartial(isFar: boolean): Promise<boolean> {
    this.#mayLack = isFar || (this.#mayLack && !(await this.#isAllShown()));
    return this.#mayLack;
  }

  async #isAllShown(): Promise<boolean> {
    try {
      const live = await this.#scoring.live();
      if (live === undefined) return true;
      if ((await this.#scoring.arrivals(live.arrived, 1)).wallets.length > 0) return false;
      await this.#refresh();
      return true;
    } catch {
      // Unknown then. Those who score meet the same fault and say so.
      return false;
    }
  }
}

const PARTS: readonly ScoringPart[] = ['rules', 'sources'];

/**
 * Whether scores lack evidence, as far as the replicas know: something fails in one of them, and works in none.
 * If so, responses are stale. While a source is read that is far from its end, they're partial.
 */
export class ScoreHealth {
  readonly #data: Pick<DataSources, 'store' | 'cluster'>;
  readonly #own = new Map<ScoringPart, WorkHealths>();
  #isPartial = false;
  /** Whether this replica has ever read a source. */
  #hasRead = false;
  #peerNotices: ReadonlySet<string> = new Set();

  constructor(data: Pick<DataSources, 'store' | 'cluster'>) {
    this.#data = data;
    data.cluster.replica.onNotices((notices) => {
      this.#peerNotices = notices;
      this.#update();
    });
  }

  /** Reports this replica's scoring health to the store and its peers. */
  report(part: ScoringPart, healths: WorkHealths, isPartial = false): void {
    const { replica } = this.#data.cluster;
    for (const claim of [...(this.#own.get(part)?.keys() ?? []), ...healths.keys()]) {
      const health = healths.get(claim);
      replica.announce(worksNotice(claim), health === 'works');
      replica.announce(failsNotice(claim), health === 'fails');
    }
    this.#own.set(part, healths);
    if (part === 'sources') {
      this.#isPartial = isPartial;
      this.#hasRead ||= [...healths.values()].includes('works');
      // One that starts, or can't read here, knows nothing that concerns the others.
      replica.announce(PARTIAL_NOTICE, isPartial && this.#hasRead);
    }
    this.#update();
  }

  /** How some work goes in the other replicas; unknown while nothing is heard of them. */
  elsewhere(claim: string): WorkHealth {
    if (!this.#data.cluster.replica.isSure) return undefined;
    if (this.#peerNotices.has(worksNotice(claim))) return 'works';
    return this.#peerNotices.has(failsNotice(claim)) ? 'fails' : undefined;
  }

  #update(): void {
    const { store } = this.#data;
    const own = new Map(PARTS.flatMap((part) => [...(this.#own.get(part) ?? [])]));
    const lacks = (claim: string) =>
      own.get(claim) !== 'works' && this.elsewhere(claim) !== 'works';
    for (const part of PARTS) {
      const healths = [...(this.#own.get(part) ?? [])];
      const isUnscored = healths.some(([claim, health]) => health === 'fails' && lacks(claim));
      store.markUnscored(part, isUnscored);
    }
    store.markPartial(this.#isPartial || this.#peerNotices.has(PARTIAL_NOTICE));
    store.markUnscored('peers', failingIn(this.#peerNotices).some(lacks));
  }
}
