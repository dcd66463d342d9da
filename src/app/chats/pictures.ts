import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#app/config';
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
import { TargetGuard } from '#base/json-http';
import { SettingCache, within } from '#base/waiting';
import { type Caller, type CardPicture, hexColourOf, WEB } from '#command';
import { type AuditRow, auditRow, type Community, communityOf, type DrawRankCard } from '#gating';
import { createPictureRoutes } from '#http/pages';
import { type VerifiedNames, withVerifiedNames } from '#names';
import {
  BadgePictures,
  fetchBanner,
  type ImageFetcher,
  lastingBadgePath,
  openImageFetcher,
  openPictures,
  PictureCache,
} from '#pictures';
import {
  altTextOf,
  BADGE_SIZE,
  type BadgePictureOf,
  type CardSettings,
  DEFAULT_THEME,
  type DrawnStyle,
  datedCardPath,
  historyOf,
  type PictureOf,
  type PictureParts,
  type Pictures,
  rankCardOf,
} from '#pictures/shown';
import {
  type Banner,
  type CardStyle,
  type CardStyleStore,
  type CardStyles,
  NO_STYLE,
} from '#pictures/style';
import { byRarity, type ReputationSource } from '#reputation';
import type { Store } from '#storage';
import type { WalletParser } from '#wallet';

interface PictureServiceParts {
  readonly config: Pick<Config, 'thresholds' | 'demo' | 'publicUrl' | 'privateNetworks'>;
  readonly store: Pick<Store, 'cardStyles'>;
  readonly source: ReputationSource;
  readonly names: VerifiedNames;
  readonly wallets: WalletParser;
  readonly clientOf: (request: IncomingMessage) => string;
  readonly counters: RateCounterMaker | undefined;
  readonly log: Logger;
}

interface PictureService {
  readonly cardStyles: CardStyles;
  /** For the chats. */
  readonly pictureOf: PictureOf;
  readonly badgePictureOf: BadgePictureOf;
  /** Registers the routes. */
  register(app: FastifyInstance): void;
  close(): Promise<void>;
}

/** Assembles the pictures of wallets and badges. */
export function openPictureService(parts: PictureServiceParts): PictureService {
  const { config, store, source, names, wallets, clientOf, counters, log } = parts;
  const { thresholds, demo: isDemo, publicUrl, privateNetworks } = config;
  const door = openImageFetcher(new TargetGuard({ privateNetworks }));
  const cardStyles = createCardStyles({
    store: store.cardStyles,
    fetchBanner: (url) => fetchBanner(door, url),
    counters,
    log,
  });
  // The demo's badge URLs are made up, too.
  const badges = isDemo ? undefined : createBadgePictures(door, log);
  const pictures = openPictures({ badges, log });
  const shared = { pictures, settings: { thresholds, isDemo }, log };
  return {
    cardStyles,
    pictureOf: createChatPictures({ ...shared, source, cardStyles, publicUrl }),
    badgePictureOf: createBadgeUrls(source, publicUrl),
    register: createPictureRoutes({
      ...{ ...shared, wallets, clientOf, counters },
      source: withVerifiedNames(source, names),
    }),
    async close() {
      await Promise.all([pictures.close(), door.close()]);
    },
  };
}

function createBadgePictures({ fetch, reencode }: ImageFetcher, log: Logger): BadgePictures {
  return new BadgePictures({ fetch, reencode: (file) => reencode(file, BADGE_SIZE), log });
}

/** How long a reply waits for its picture. */
const PATIENCE_MS = 1_000;
/** A picture in time is worth more than its plot. */
const HISTORY_MS = 500;

interface ChatPictureParts {
  readonly pictures: Pick<Pictures, 'card'>;
  readonly source: ReputationSource;
  readonly settings: CardSettings;
  /** Cards have no style by default. */
  readonly cardStyles?: CardStyles;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

/** Makes the pictures of `/rep`. */
export function createChatPictures(parts: ChatPictureParts): PictureOf {
  const { publicUrl, log } = parts;
  const origin = publicUrl !== undefined && isFetchable(publicUrl) ? publicUrl : undefined;
  return (wanted) => () => {
    const drawn = draw(parts, wanted, wanted.caller.platform === WEB ? '' : origin);
    const safe = drawn.catch((error: unknown) => {
      if (isOutage(error)) {
        log.debug({ reason: messageOf(error) }, 'a card goes out without its picture');
      } else log.error({ err: error }, 'bug: could not draw a picture');
      return undefined;
    });
    return within(safe, PATIENCE_MS);
  };
}

/** Makes the pictures of announcements. */
export function createRankCards(source: ReputationSource, pictureOf: PictureOf): DrawRankCard {
  return (account, community, wallet, language) => async () => {
    const reading = source.reading('visitor');
    try {
      const record = await reading.reputation(wallet);
      if (record === undefined) return undefined;
      const badges = byRarity((await reading.badges(wallet))?.badges ?? []);
      const name = await reading.nameOf(wallet);
      const { isStale, isPartial } = reading;
      const caller = { ...account, community: community.id };
      const parts = { wallet, caller, language, record, badges, name, isStale, isPartial };
      return await pictureOf(parts)();
    } catch (error) {
      if (isOutage(error)) return undefined;
      throw error;
    }
  };
}

/** Finds badges' pictures for the chats, which fetch them from our pages. */
function createBadgeUrls(
  source: Pick<ReputationSource, 'badgeWithId'>,
  publicUrl: string | undefined,
): BadgePictureOf {
  const origin = publicUrl !== undefined && isFetchable(publicUrl) ? publicUrl : undefined;
  return (badge, { platform }) => {
    const from = platform === WEB ? '' : origin;
    const found = from === undefined ? undefined : source.badgeWithId?.(badge.id);
    return found && from + lastingBadgePath(found);
  };
}

/** @param origin of the picture's URL: '' for a page of ours, undefined to upload the file */
async function draw(
  { pictures, source, settings, cardStyles }: ChatPictureParts,
  { wallet, language, caller, ...read }: PictureParts,
  origin: string | undefined,
): Promise<CardPicture> {
  // A separate reading: the history's age says nothing about the figures, and it isn't worth the last of an
  // upstream's quota.
  const reading = source.reading('visitor');
  const [history = [], style] = await Promise.all([
    within(historyOf(reading, wallet), HISTORY_MS),
    cardStyles && drawnStyleOf(cardStyles, caller),
  ]);
  const card = rankCardOf({ ...read, history }, settings);
  const look = { language, theme: DEFAULT_THEME };
  const picture = await pictures.card({ card, look, format: 'png', style });
  const png = picture.kept ?? (await picture.draw());
  const path = datedCardPath(wallet.address, picture.digest, look);
  return {
    png,
    // A picture in a community's style has no address: on the web all cards look the same, and none
    // says where its wallet's owner might be.
    url: origin === undefined || style !== undefined ? undefined : `${origin}${path}`,
    alt: altTextOf(card, language),
  };
}

/** Undefined where moderators have chosen nothing. */
async function drawnStyleOf(styles: CardStyles, caller: Caller): Promise<DrawnStyle | undefined> {
  const community = communityOf(caller);
  if (community === undefined) return undefined;
  const style = await styles.styleOf(community);
  const banner = await styles.bannerOf(community, style);
  const { accent } = style;
  return accent === undefined && banner === undefined ? undefined : { accent, banner };
}

/** Whether the platform's servers can fetch from there, as far as the URL tells. */
function isFetchable(publicUrl: string): boolean {
  const url = URL.parse(publicUrl);
  if (url?.protocol !== 'https:' || url.port !== '') return false;
  const host = url.hostname;
  return isIP(host) === 0 && !host.startsWith('[') && host.includes('.') && !isInternal(host);
}

/** Names that only resolve within a network: https://www.rfc-editor.org/rfc/rfc6761, RFC 6762 and 8375. */
function isInternal(host: string): boolean {
  return /\.(?:localhost|local|internal|test|invalid|example|lan|home\.arpa)\.?$/.test(host);
}

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
    { event, by, detail }: Pick<AuditRow, 'event' | 'by' | 'detail'>,
  ): Promise<void> {
    const row = auditRow(wallSeconds(), community, event, { by, detail });
    await store.putStyle(community, changes, row);
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
