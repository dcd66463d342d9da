import { type Logger, ProblemLogs, RetryableError } from '#base';
import { sleep } from '#base/waiting';
import { type Replica, type WorkHealths, worksNotice } from '#cluster';
import {
  type EvidenceStore,
  inputsBySource,
  type RuleSet,
  type Source,
  type SourceInput,
} from '#scoring';
import { repeatedNode } from './checks/probes.ts';
import { HostPaces } from './host-pace.ts';
import { openSource } from './open-source.ts';
import type { ReaderStatus } from './reading/progress.ts';
import { SourceReader } from './reading/reader.ts';
import { type NodeStatus, sourceClaim } from './source.ts';

/** How often to check whether the rules changed. */
const POLL_MS = 1_000;
/** A source this close to its end counts as having reached it. */
const SOON_S = 2;

/** The rule sets that need sources, live ones first. */
interface WantedRules {
  readonly live: RuleSet | undefined;
  /** The previous rules, and those waiting to be applied: they're read too, so that switching is quick. */
  readonly others: readonly RuleSet[];
}

export interface SourcesOptions {
  readonly store: EvidenceStore;
  readonly highestWallet: () => Promise<number> | number;
  readonly replica: Pick<Replica, 'during' | 'peersAnnounce'>;
  readonly log: Logger;
  readonly wanted: () => WantedRules;
  /** Returns an environment variable that the rules name. */
  readonly variable: (name: string) => string | undefined;
  /**
   * Called repeatedly with how reading goes: where it fails, scores may lack events.
   * @param isPartial whether a source of the live rules is far from its end
   */
  readonly report: (healths: WorkHealths, isPartial: boolean) => Promise<void> | void;
  readonly pollMs?: number;
}

/** The state of a source, for operators. */
export interface SourceStatus extends ReaderStatus {
  readonly id: string;
  readonly chain: string;
  readonly nodes: readonly NodeStatus[];
}

interface Running {
  readonly source: Source;
  readonly reader: SourceReader;
  readonly nodes: () => readonly NodeStatus[];
}

/** Reads the sources of all rules that are live or may go live. */
export class Sources {
  readonly #options: SourcesOptions;
  readonly #stopping = new AbortController();
  readonly #paces = new HostPaces();
  readonly #running = new Map<string, Running>();
  /** Sources that can't be opened, with the reason. */
  readonly #unusable = new Map<string, { readonly source: Source; readonly words: string }>();
  /** One for each source: two that fail in turn are two problems, each said once. */
  readonly #troubles: ProblemLogs;
  #inputs: ReadonlyMap<string, readonly SourceInput[]> = new Map();
  #live: ReadonlySet<string> = new Set();
  #nobody: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #liveSources: ReadonlySet<string> = new Set();
  #watching: Promise<void> = Promise.resolve();

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#troubles = new ProblemLogs(options.log);
  }

  begin(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    await Promise.all([...this.#running.values()].map(({ reader }) => reader.stop()));
    this.#paces.close();
  }

  status(): readonly SourceStatus[] {
    const running = [...this.#running].map(([id, { source, reader, nodes }]) => ({
      ...{ id, chain: source.chain, nodes: nodes() },
      ...reader.status(),
    }));
    const none = {
      position: undefined,
      end: undefined,
      pace: undefined,
      remainingSeconds: undefined,
      leftOut: 0,
      refused: 0,
      unbegun: 0,
    };
    const unusable = [...this.#unusable].map(([id, { source, words }]) => ({
      ...{ id, chain: source.chain, nodes: [], state: 'stopped' as const, words, ...none },
    }));
    return [...running, ...unusable];
  }

  /** Whether any source is far behind its end, so that a lot is still to come. */
  get isReading(): boolean {
    return [...this.#running.values()].some(({ reader }) => {
      const { state, remainingSeconds = Number.POSITIVE_INFINITY } = reader.status();
      return state === 'reading' && remainingSeconds > SOON_S;
    });
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#poll();
      await this.#options.report(this.#healths(), this.#isPartial);
      await sleep(this.#options.pollMs ?? POLL_MS, signal);
    }
  }

  async #poll(): Promise<void> {
    const { live, others } = this.#options.wanted();
    const sets = [...(live === undefined ? [] : [live]), ...others];
    this.#inputs = inputsBySource(sets);
    const liveInputs = inputsBySource(live === undefined ? [] : [live]);
    this.#live = new Set([...liveInputs.values()].flat().map(({ name }) => name));
    this.#liveSources = new Set(liveInputs.keys());
    this.#nobody = new Map([...this.#inputs.keys()].map((id) => [id, countedByNone(sets, id)]));
    const wanted = new Map<string, Source>();
    for (const source of sets.flatMap(({ sources }) => sources)) {
      if (this.#inputs.has(source.id) && !wanted.has(source.id)) wanted.set(source.id, source);
    }
    for (const [id, { source, reader }] of this.#running) {
      const next = wanted.get(id);
      if (next !== undefined && isSameSource(source, next)) continue;
      await reader.stop();
      this.#running.delete(id);
    }
    for (const id of this.#unusable.keys()) {
      if (wanted.has(id)) continue;
      this.#unusable.delete(id);
      this.#troubles.forget(id);
    }
    for (const source of wanted.values()) {
      if (!this.#running.has(source.id)) await this.#start(source);
    }
  }

  get #isPartial(): boolean {
    // What another replica reads is only this one's trouble.
    const isUnread = [...this.#liveSources].some(
      (id) =>
        this.#unusable.has(id) &&
        !this.#options.replica.peersAnnounce(worksNotice(sourceClaim(id))),
    );
    return isUnread || [...this.#running.values()].some(({ reader }) => reader.isFarBehind);
  }

  /** The health of the live rules' sources. */
  #healths(): WorkHealths {
    const healthOf = (id: string) =>
      this.#unusable.has(id) ? 'fails' : this.#running.get(id)?.reader.health;
    const healths = new Map<string, 'works' | 'fails'>();
    for (const id of this.#liveSources) {
      const health = healthOf(id);
      if (health !== undefined) healths.set(sourceClaim(id), health);
    }
    return healths;
  }

  async #start(source: Source): Promise<void> {
    const { id, chain: chainId } = source;
    const { variable, wanted: _, pollMs: __, report: ___, ...options } = this.#options;
    try {
      const chain = await openSource(source, variable, this.#paces);
      const reader = new SourceReader({
        ...{ ...options, id, chainId, chain },
        wanted: () => ({
          ...{ inputs: this.#inputs.get(id) ?? [], live: this.#live },
          nobody: this.#nobody.get(id) ?? new Set(),
        }),
      });
      const repeated = repeatedNode(source, variable);
      if (repeated !== undefined) options.log.warn({ source: id }, repeated);
      this.#unusable.delete(id);
      this.#troubles.forget(id);
      this.#running.set(id, { source, reader, nodes: () => chain.nodes() });
      reader.begin();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      const { message: words } = error;
      this.#unusable.set(id, { source, words });
      this.#troubles.of(id).report(words, 'error', { source: id }, `Can't read ${id}: ${words}`);
    }
  }
}

/** Rules that an earlier Fathom applied count even addresses that nobody can sign for. */
function countedByNone(sets: readonly RuleSet[], id: string): ReadonlySet<string> {
  const counting = sets.filter(({ rules }) => rules.some(({ source }) => source === id));
  const lists = counting.map(({ nobody }) => new Set(nobody));
  return lists.reduce((all, own) => all.intersection(own), lists[0] ?? new Set());
}

function isSameSource(one: Source, other: Source): boolean {
  return (
    one.chain === other.chain &&
    one.depth === other.depth &&
    one.variables.join() === other.variables.join()
  );
}
