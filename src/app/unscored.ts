import type { DataSources } from './data-sources.ts';

type SharedCause = 'rules' | 'sources';

const NOTICES: Readonly<Record<SharedCause, string>> = {
  rules: 'unscored: rules',
  sources: 'unscored: sources',
};

/** Whether scores lack evidence, according to this replica or another; if so, responses are stale. */
export class Unscored {
  readonly #data: Pick<DataSources, 'store' | 'sharing'>;
  #heard: ReadonlySet<string> = new Set();

  constructor(data: Pick<DataSources, 'store' | 'sharing'>) {
    this.#data = data;
    data.sharing.replica.onNotices((notices) => {
      this.#heard = notices;
      const isUnscored = Object.values(NOTICES).some((notice) => notices.has(notice));
      data.store.markUnscored('peers', isUnscored);
    });
  }

  /** Reports it to the store and the other replicas. */
  mark(cause: SharedCause, isUnscored: boolean): void {
    const { store, sharing } = this.#data;
    store.markUnscored(cause, isUnscored);
    sharing.replica.say(NOTICES[cause], isUnscored);
  }

  /** Whether another replica reports it. */
  isHeard(cause: SharedCause): boolean {
    return this.#heard.has(NOTICES[cause]);
  }
}
