import {
  countLocally,
  isOutage,
  type Logger,
  messageOf,
  monotonicMs,
  type RateCounterMaker,
  UserError,
  wallSeconds,
} from '#base';
import { SettingCache } from '#base/waiting';
import { hexColourOf } from '#command';
import type { AuditRow, Community } from '#gating';
import { PictureCache } from '#pictures';
import {
  type Banner,
  type CardStyle,
  type CardStyleStore,
  type CardStyles,
  NO_STYLE,
} from '#pictures/style';

/** About 50 banners. */
const MOST_BANNER_BYTES = 16 * 1024 * 1024;
/** Concurrent fetches of banners, each with a process that decodes; one of them for each community. */
const MOST_FETCHES = 2;

/** Banners that a moderator, and that a community, may have fetched in ten minutes: decoding one may take seconds. */
const MOST_BANNERS = 10;
const BANNERS_MS = 600_000;
const MOST_CLIENTS = 20_000;

export interface CardStylesOptions {
  readonly store: CardStyleStore;
  readonly fetchBanner: (url: string) => Promise<Banner>;
  readonly log: Logger;
  /** Counters shared with other replicas; if undefined, each process counts on its own. */
  readonly counters?: RateCounterMaker | undefined;
  /** For tests: monotonic milliseconds. */
  readonly clock?: () => number;
  readonly patienceMs?: number;
}

/** The styles of communities' cards, cached in memory. */
export function createCardStyles(options: CardStylesOptions): CardStyles {
  const { store, fetchBanner, log, counters = countLocally, clock = monotonicMs } = options;
  const kept = new SettingCache<CardStyle>({
    ...{ clock, patienceMs: options.patienceMs },
    onError(error) {
      if (isOutage(error)) {
        log.debug({ reason: messageOf(error) }, 'a card goes out without its style');
      } else log.error({ err: error }, "bug: could not read a community's style");
    },
  });
  const banners = new PictureCache(MOST_BANNER_BYTES);
  /** Communities whose banner is being fetched. */
  const fetching = new Set<string>();
  const fetches = counters('banners', { length: BANNERS_MS, maxClients: MOST_CLIENTS });

  async function change(
    community: Community,
    changes: Parameters<CardStyleStore['putStyle']>[1],
    row: Pick<AuditRow, 'event' | 'by' | 'detail'>,
  ): Promise<void> {
    const about = { run: undefined, rule: undefined, account: undefined };
    await store.putStyle(community, changes, { at: wallSeconds(), community, ...about, ...row });
    kept.keep(keyOf(community), await store.styleOf(community));
  }

  async function requireFew(clients: readonly string[]): Promise<void> {
    const windows = await Promise.all(clients.map((client) => fetches.count(client, clock())));
    if (windows.every(({ count }) => count <= MOST_BANNERS)) return;
    throw new UserError('banner-often', 'Too many banners in a short time.');
  }

  return {
    async styleOf(community) {
      return (await kept.of(keyOf(community), () => store.styleOf(community))) ?? NO_STYLE;
    },
    async bannerOf(community, { banner: digest }) {
      if (digest === undefined) return undefined;
      const png = banners.get(digest);
      if (png !== undefined) return { png, digest };
      const found = await kept.soon(Promise.resolve(store.bannerOf(community)));
      if (found !== undefined) banners.set(found.digest, found.png);
      return found;
    },
    async setAccent(community, accent, by) {
      await change(
        community,
        { accent },
        { event: 'card-colour', by, detail: hexColourOf(accent) },
      );
    },
    async setBanner(community, url, by) {
      const key = keyOf(community);
      if (fetching.size >= MOST_FETCHES || fetching.has(key)) {
        throw new UserError('banner-busy', 'Too many pictures are being fetched.');
      }
      fetching.add(key);
      try {
        await requireFew([`community ${key}`, `by ${by}`]);
        const banner = await fetchBanner(url);
        await change(community, { banner }, { event: 'card-banner', by, detail: '' });
      } finally {
        fetching.delete(key);
      }
    },
    async reset(community, by) {
      const changes = { accent: undefined, banner: undefined };
      await change(community, changes, { event: 'card-reset', by, detail: '' });
    },
  };
}

function keyOf({ platform, id }: Community): string {
  return `${platform}:${id}`;
}
