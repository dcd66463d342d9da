import { hash, randomBytes } from 'node:crypto';
import type { Config } from '#app/config';
import {
  type Logger,
  monotonicMs,
  outageLog,
  type PlatformTraits,
  ProblemLog,
  type RateCounterMaker,
  SteppedClock,
} from '#base';
import { Upkeep } from '#base/process';
import { knownElapsed, type Replica, runIfDue, soleReplica } from '#cluster';
import type { Account, Caller, Card } from '#command';
import {
  CallerLinks,
  Challenger,
  JustLinked,
  LateOutcomes,
  Linking,
  type LinkPageService,
  type LinkStore,
  Links,
  PageLinking,
  ProofRetries,
  type RequestKey,
  recheckLinks,
  type Scheduler,
  takeUp,
} from '#linking';
import type { Wallet, WalletParser } from '#wallet';

/** Path of the link page. */
const LINK_PATH = '/link';
/** Interval of the upkeep. */
const TEND_EVERY_MS = 300_000;
/** The work item, held by one replica at a time. */
const UPKEEP = 'links';

export interface LinkingParts {
  readonly config: Pick<Config, 'ethereumRpcUrl' | 'algorandIndexerUrl'>;
  readonly store: LinkStore;
  readonly wallets: WalletParser;
  readonly platforms: readonly PlatformTraits[];
  /** Public URL of this instance, without a trailing slash; may only be known once it listens. */
  readonly publicUrl: () => string;
  readonly log: Logger;
  /** This process among those that share the store; undefined if it's the only one. */
  readonly replica?: Replica;
  /** Counters shared with them; if undefined, each process counts on its own. */
  readonly counters?: RateCounterMaker | undefined;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
  /** Uses timers by default. */
  readonly after?: Scheduler;
  /** See `LateOutcomesOptions`; by default it can't. */
  readonly notify?: (account: Account, card: Card) => Promise<boolean>;
  /** Called for every account whose linked wallets, or their visibility, changed. */
  readonly onChange?: (account: Account) => void;
  /** See `LinksOptions`. */
  readonly beforeErase?: (account: Account) => Promise<void>;
}

export interface WalletLinking {
  /** @param locale in which they read, if it's known */
  of(caller: Caller, locale?: string): CallerLinks;
  /** Regardless of visibility: for rules, never to be shown. */
  walletsOf(account: Account): Promise<readonly Wallet[]>;
  /** See `Links`. */
  readonly shownAmong: Links['shownAmong'];
  /** See `Links`. */
  readonly announcedAmong: Links['announcedAmong'];
  /** For the page. */
  readonly page: LinkPageService;
  /**
   * Settles due claims, deletes expired data and rechecks proofs, now and periodically, unless
   * another replica does.
   * @returns once that was done for the first time; never rejects
   */
  runUpkeep(): Promise<void>;
  /** Stops what `runUpkeep` started. */
  stop(): Promise<void>;
}

const later: Scheduler = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds).unref();
  return () => clearTimeout(timer);
};

/** Assembles linking: for all chats, the page and the upkeep. */
export function createWalletLinking(parts: LinkingParts): WalletLinking {
  const { config, store, wallets, log, clock } = parts;
  const replica = parts.replica ?? soleReplica(log);
  const dates = new SteppedClock(clock, clock);
  const now = () => dates.now();
  const elapsed = knownElapsed(replica, dates.elapsed.bind(dates));
  const pageUrl = () => parts.publicUrl() + LINK_PATH;
  const sha256 = (text: string) => hash('sha256', text);
  const onChange = (account: Account) => parts.onChange?.(account);
  const base = { store, random: randomBytes, hash: sha256, now };
  const challenger = new Challenger({
    ...base,
    wallets,
    platforms: parts.platforms,
    pageUrl,
    log: outageLog(log, clock ?? monotonicMs),
    // Loaded when the first wallet is linked, to save memory at startup.
    provers: async () => (await import('#linking/proofs')).createProvers(config),
  });
  const onUnchecked = (key: RequestKey, seconds: number) => retries.add(key, seconds);
  const linking = new Linking({
    ...base,
    counters: parts.counters,
    monotonic: clock ?? monotonicMs,
    challenger,
    pageUrl,
    readsVaults: config.ethereumRpcUrl !== undefined,
    onChange,
    onUnchecked,
  });
  const notify = async (account: Account, card: Card) =>
    (await parts.notify?.(account, card)) === true;
  const late = new LateOutcomes({ store, notify, now, log });
  const retries = new ProofRetries({
    async retry(key) {
      const seconds = await linking.retry(key);
      if (seconds === undefined) await late.settled(key);
      return typeof seconds === 'number' ? seconds : undefined;
    },
    after: parts.after ?? later,
    log,
  });
  const links = new Links({
    store,
    log,
    now,
    elapsed,
    onChange,
    beforeErase: async (account) => await parts.beforeErase?.(account),
  });
  const just = new JustLinked(base);
  const leaving = new AbortController();
  const { signal } = leaving;

  const trouble = new ProblemLog(log);
  const upkeep = new Upkeep({
    everyMs: TEND_EVERY_MS,
    work: () =>
      runIfDue(replica, UPKEEP, TEND_EVERY_MS, async () => {
        await links.settle();
        await store.prune(now());
        await takeUp({ store, now, retries, late, log });
        await recheckLinks({ store, challenger, log, now, elapsed, signal });
      }).then(() => trouble.resolve()),
    onError: (error) => trouble.failed(error, 'could not check linked wallets; retrying'),
  });

  return {
    walletsOf: (account) => links.walletsOf(account),
    shownAmong: (...asked) => links.shownAmong(...asked),
    announcedAmong: (...asked) => links.announcedAmong(...asked),
    of(caller, locale) {
      return new CallerLinks(linking, links, { challenger, just, late, locale }, caller);
    },
    page: new PageLinking({ ...base, challenger, onUnchecked }),
    runUpkeep: () => upkeep.begin(),
    async stop() {
      leaving.abort();
      await retries.stop();
      await upkeep.stop();
    },
  };
}
