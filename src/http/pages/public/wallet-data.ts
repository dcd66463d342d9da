import type {
  ActivityList,
  BadgeList,
  Breakdown,
  ChainEvent,
  Reading,
  Reputation,
  ReputationSource,
  ScoreHistory,
} from '#reputation';
import type { Wallet } from '#wallet';
import { type PagePart, partValue, readPart } from './page-part.ts';

/** How many activities a page lists. */
const ACTIVITIES_SHOWN = 12;
/** How often to read again if the data changes in between. */
const ATTEMPTS = 3;

/** What is told beside the reputation where no single state can be read. */
const NO_PARTS = {
  badges: 'unavailable',
  breakdown: 'unavailable',
  history: 'unavailable',
  activity: 'unavailable',
  events: new Map(),
} as const;

/** What a wallet's page shows. */
export interface WalletData {
  readonly reputation: Reputation;
  readonly name: string | undefined;
  readonly badges: PagePart<BadgeList>;
  readonly breakdown: PagePart<Breakdown>;
  readonly history: PagePart<ScoreHistory>;
  readonly activity: PagePart<ActivityList>;
  /** By activity id. */
  readonly events: ReadonlyMap<string, ChainEvent>;
  readonly reading: Reading;
}

/**
 * Reads everything about a wallet from a single state of the data. Only the reputation is required; the page
 * says which other parts are missing.
 * @param language of the rules' titles
 * @returns undefined if the wallet has no activity
 * @throws RetryableError if the reputation is unavailable
 */
export async function collectWallet(
  source: ReputationSource,
  wallet: Wallet,
  language: string,
): Promise<WalletData | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { revision } = source.reading('visitor');
    const data = await readOnce(source.reading('visitor'), wallet, language);
    if (source.reading('visitor').revision === revision) return data;
    // Parts of different states might contradict each other.
    if (attempt === ATTEMPTS) return data && { ...data, ...NO_PARTS };
  }
}

async function readOnce(
  reading: Reading,
  wallet: Wallet,
  language: string,
): Promise<WalletData | undefined> {
  const reputation = await reading.reputation(wallet);
  if (reputation === undefined) return undefined;
  const [name, badges, breakdown, history, activity] = await Promise.all([
    reading.nameOf(wallet),
    readPart(() => reading.badges(wallet)),
    readPart(() => reading.breakdown(wallet, language)),
    readPart(() => reading.history(wallet, {})),
    readPart(() => reading.activity(wallet, ACTIVITIES_SHOWN)),
  ]);
  const listed = partValue(activity)?.activities ?? [];
  const events = partValue(await readPart(() => reading.chainEvents(wallet, listed))) ?? new Map();
  return { reputation, name, badges, breakdown, history, activity, events, reading };
}

/** Whether a missing part may be available later. */
export function isPartial({ badges, breakdown, history, activity }: WalletData): boolean {
  return [badges, breakdown, history, activity].includes('unavailable');
}
