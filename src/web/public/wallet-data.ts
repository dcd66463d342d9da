import { RetryableError, UserError } from '#core/errors';
import type { MaybePromise, Reading, ReputationSource } from '#core/ports';
import type {
  ActivityList,
  BadgeList,
  Breakdown,
  ChainEvent,
  Reputation,
  ScoreHistory,
} from '#core/records';
import type { Wallet } from '#core/wallet';

/** How many activities a page lists. */
const ACTIVITIES_SHOWN = 12;
/** How often to read again if the data changes in between. */
const ATTEMPTS = 3;

/**
 * Part of a page. `unsupported`: the source never has it; `unavailable`: it can't be read right now.
 */
export type PagePart<T> = { readonly value: T } | 'unsupported' | 'unavailable';

/** What a wallet's page shows. */
export interface WalletData {
  readonly reputation: Reputation;
  readonly name: string | undefined;
  readonly badges: PagePart<BadgeList>;
  readonly breakdown: PagePart<Breakdown>;
  readonly history: PagePart<ScoreHistory>;
  readonly activity: PagePart<ActivityList>;
  /** By the activity's id. */
  readonly events: ReadonlyMap<string, ChainEvent>;
  readonly reading: Reading;
}

/**
 * Reads everything about a wallet as of one state of the data. Only the reputation has to be there;
 * the page says which other parts are missing.
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
    // Otherwise the figures of different parts might not match.
    const isSame = source.reading('visitor').revision === revision;
    if (isSame || attempt === ATTEMPTS) return data;
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
    part(() => reading.badges(wallet)),
    part(() => reading.breakdown(wallet, language)),
    part(() => reading.history(wallet, {})),
    part(() => reading.activity(wallet, ACTIVITIES_SHOWN)),
  ]);
  const listed = partValue(activity)?.activities ?? [];
  const events = partValue(await part(() => reading.chainEvents(wallet, listed))) ?? new Map();
  return { reputation, name, badges, breakdown, history, activity, events, reading };
}

/** The part's value, if it's there. */
function partValue<T>(of: PagePart<T>): T | undefined {
  return typeof of === 'string' ? undefined : of.value;
}

/** Whether a part may be there the next time. */
export function isPartial({ badges, breakdown, history, activity }: WalletData): boolean {
  return [badges, breakdown, history, activity].includes('unavailable');
}

/** @throws what isn't about the data's availability */
async function part<T>(read: () => MaybePromise<T | undefined>): Promise<PagePart<T>> {
  try {
    const value = await read();
    return value === undefined ? 'unavailable' : { value };
  } catch (error) {
    if (error instanceof RetryableError) return 'unavailable';
    if (error instanceof UserError && error.code === 'route-not-found') return 'unsupported';
    throw error;
  }
}
