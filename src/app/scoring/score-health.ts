import type { DataSources } from '#app/data/data-sources';
import {
  failingIn,
  failsNotice,
  PARTIAL_NOTICE,
  type WorkHealth,
  type WorkHealths,
  worksNotice,
} from '#cluster';
import type { ScoringPart } from './engine.ts';

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
  #heard: ReadonlySet<string> = new Set();

  constructor(data: Pick<DataSources, 'store' | 'cluster'>) {
    this.#data = data;
    data.cluster.replica.onNotices((notices) => {
      this.#heard = notices;
      this.#update();
    });
  }

  /** Reports this replica's scoring health to the store and its peers. */
  report(part: ScoringPart, healths: WorkHealths, isPartial = false): void {
    const { replica } = this.#data.cluster;
    for (const claim of [...(this.#own.get(part)?.keys() ?? []), ...healths.keys()]) {
      const health = healths.get(claim);
      replica.say(worksNotice(claim), health === 'works');
      replica.say(failsNotice(claim), health === 'fails');
    }
    this.#own.set(part, healths);
    if (part === 'sources') {
      this.#isPartial = isPartial;
      this.#hasRead ||= [...healths.values()].includes('works');
      // One that starts, or can't read here, knows nothing that concerns the others.
      replica.say(PARTIAL_NOTICE, isPartial && this.#hasRead);
    }
    this.#update();
  }

  /** How some work goes in the other replicas. */
  elsewhere(claim: string): WorkHealth {
    if (this.#heard.has(worksNotice(claim))) return 'works';
    return this.#heard.has(failsNotice(claim)) ? 'fails' : undefined;
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
    store.markPartial(this.#isPartial || this.#heard.has(PARTIAL_NOTICE));
    store.markUnscored('peers', failingIn(this.#heard).some(lacks));
  }
}
