import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  BoundedMap,
  type Logger,
  monotonicMs,
  type RateCounterMaker,
  RetryableError,
  UserError,
  type UserErrorCode,
} from '#base';
import { acceptedLanguages, LANGUAGES, textsFor } from '#command/texts';
import { answerErrors } from '#http/pages/endpoint';
import { type Guard, limitedTo } from '#http/pages/guard';
import { answersConditions } from '#http/pages/static';
import {
  CARD_FORMATS,
  CARD_THEMES,
  type CardFormat,
  type CardLook,
  type CardSettings,
  DEFAULT_THEME,
  type Pictures,
  type PreparedPicture,
  type RankCard,
  readRankCard,
} from '#pictures/shown';
import { type Reading, type ReputationSource, readingKey } from '#reputation';
import type { Wallet, WalletParser } from '#wallet';

/** Pictures that may be drawn per client and minute; cached ones don't count. */
const NEW_A_MINUTE = 120;
/** Cards that may be read per client and minute, whether the response is a picture or a 304. */
const READ_A_MINUTE = 300;

interface PictureRouteOptions {
  readonly pictures: Pictures;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly settings: CardSettings;
  /** The key under which a client is counted. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** Shared counters; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  readonly log: Logger;
  /** For tests: replaces the monotonic clock; milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/**
 * The pictures at `/card` and `/badge-picture`.
 * @returns a function that adds them to a server
 */
export function createPictureRoutes(options: PictureRouteOptions): (app: FastifyInstance) => void {
  const { pictures, source, wallets, settings, clientOf, counters, log } = options;
  const { clock = monotonicMs } = options;
  const limits = { clientOf, counters, clock };
  const limitNew = limitedTo({ name: 'cards', most: NEW_A_MINUTE, ...limits });
  const limitRead = limitedTo({ name: 'cards-read', most: READ_A_MINUTE, ...limits });
  const kept = new CardCache(clock);

  async function sendCard(
    request: FastifyRequest,
    reply: FastifyReply,
    file: string,
  ): Promise<FastifyReply | undefined> {
    const format = CARD_FORMATS.find((each) => file.endsWith(`.${each}`));
    if (format === undefined) {
      reply.callNotFound();
      return undefined;
    }
    // Without `lang`, the language is the browser's, also for errors.
    reply.header('Vary', 'Accept-Language');
    const text = file.slice(0, -format.length - 1);
    const wallet = source.recognise(text) ?? wallets.parse(text);
    const look = readLook(request);
    const reading = source.reading('visitor');
    let running = kept.get(wallet, reading);
    if (running === undefined) {
      // Reading the wallet costs more than refusing it.
      if (pictures.isFull) {
        throw new RetryableError('Too many pictures are being drawn.', { retryAfter: 2 });
      }
      if (await limitRead(request, reply)) return reply;
      // Another request may have started to read it while the client was counted.
      running =
        kept.get(wallet, reading) ??
        kept.keep(wallet, reading, () => readRankCard(reading, wallet, settings));
    }
    const card = await running;
    if (card === undefined) {
      const detail = 'This address is valid, but the wallet has no activity here.';
      throw new UserError('wallet-not-found', detail);
    }
    const picture = await pictures.card({ card, look, format });
    return sendPicture(request, reply, picture, format, limitNew);
  }

  async function sendBadge(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const { id, version } = request.params as { id: string; version?: string };
    const badge = source.badgeWithId?.(id);
    if (badge === undefined) {
      reply.callNotFound();
      return undefined;
    }
    refuseParameters(request);
    // Not counted: there are only as many as badges, and pages show dozens.
    return sendPicture(
      request,
      reply,
      await pictures.badge(badge, version !== undefined),
      'png',
      () => false,
    );
  }

  return (app) => {
    // A scope of its own, as it has its own error handler.
    app.register(async (scope) => {
      answerErrors(scope, log);
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/card/:file',
        handler: (request, reply) =>
          sendCard(request, reply, (request.params as { file: string }).file),
      });
      scope.route({ method: ['GET', 'HEAD'], url: '/badge-picture/:id.png', handler: sendBadge });
      // Digests are only for caches that never revalidate; the response is always the newest.
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/badge-picture/:id/:version.png',
        handler: sendBadge,
      });
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/card/:address/:digest.png',
        handler: (request, reply) =>
          sendCard(request, reply, `${(request.params as { address: string }).address}.png`),
      });
    });
  };
}

const PARAMETERS = { lang: LANGUAGES, theme: CARD_THEMES } as const;

/**
 * Reads `?lang=` and `?theme=`. Without `lang`, the browser's language counts.
 * @throws UserError `unknown-parameter`, `duplicate-parameter`, `invalid-parameter`
 */
function readLook(request: FastifyRequest): CardLook {
  const query = request.query as Readonly<Record<string, string | string[]>>;
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(PARAMETERS, name)) {
      throw fault('unknown-parameter', name, 'Known parameters: lang, theme.');
    }
    if (typeof value !== 'string') {
      throw fault('duplicate-parameter', name, `Give ${name} once.`);
    }
    const values: readonly string[] = PARAMETERS[name as keyof typeof PARAMETERS];
    if (!values.includes(value)) {
      throw fault('invalid-parameter', name, `${name} must be one of: ${values.join(', ')}.`);
    }
  }
  const { lang, theme } = query as { lang?: string; theme?: CardLook['theme'] };
  return { language: lang ?? wished(request), theme: theme ?? DEFAULT_THEME };
}

/** For pictures that look the same to everyone. @throws UserError `unknown-parameter` */
function refuseParameters({ query }: FastifyRequest): void {
  const [name] = Object.keys(query as object);
  if (name !== undefined)
    throw fault('unknown-parameter', name, 'This resource takes no parameters.');
}

function fault(code: UserErrorCode, parameter: string, message: string): UserError {
  return new UserError(code, message, [{ parameter: parameter.slice(0, 60), message }]);
}

function wished({ headers }: FastifyRequest): string {
  const wishes = acceptedLanguages(headers['accept-language'] ?? '');
  const found = wishes.find((tag) => LANGUAGES.includes(tag.toLowerCase().split('-')[0] ?? ''));
  return textsFor(found).language;
}

const CONTENT_TYPES: Readonly<Record<CardFormat, string>> = {
  png: 'image/png',
  svg: 'image/svg+xml',
};

const HEADERS = {
  'Cache-Control': 'public, max-age=30, stale-while-revalidate=60',
  'X-Content-Type-Options': 'nosniff',
  // An SVG can be opened as a page; this one may load and run nothing.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  // Other sites may embed pictures.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
};

/**
 * Sends a picture, or what the request's conditions ask for in its place.
 * @param limitNew called before one is drawn: cached ones cost nothing
 */
async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  picture: PreparedPicture,
  format: CardFormat,
  limitNew: Guard,
): Promise<FastifyReply> {
  const etag = `W/"${picture.digest}"`;
  if (answersConditions(request, reply, { etag, headers: HEADERS })) return reply;
  let bytes = picture.kept;
  if (bytes === undefined) {
    if (await limitNew(request, reply)) return reply;
    bytes = await picture.draw();
  }
  reply.headers(HEADERS).headers({ ETag: etag, 'Content-Type': CONTENT_TYPES[format] });
  return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** How long to cache a card while the data doesn't change: verified names have no revision. */
const KEPT_MS = 30_000;
/** The same for a card without a plot, since its history may only be unavailable for a moment. */
const PLOTLESS_MS = 2_000;
/** A card takes about 10 KB. */
const MOST_CARDS = 500;

interface CachedCard {
  readonly revision: string;
  readonly card: Promise<RankCard | undefined>;
  /** Milliseconds of the monotonic clock. */
  until: number;
}

/**
 * Caches the cards' data by wallet: reading a long history takes tens of milliseconds, which repeated
 * requests for one wallet must not cost each time. Drops the least recently used first.
 */
class CardCache {
  readonly #cards = new BoundedMap<string, CachedCard>(MOST_CARDS);
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The card if the data hasn't changed, possibly still being read; undefined if it must be read. */
  get(wallet: Wallet, reading: Reading): Promise<RankCard | undefined> | undefined {
    const key = keyOf(wallet);
    const kept = this.#cards.get(key);
    if (kept?.revision !== readingKey(reading) || this.#now() >= kept.until) return undefined;
    // Move it to the end, as the most recently used.
    this.#cards.set(key, kept);
    return kept.card;
  }

  /** Caches a card that is being read. Failures and unknown wallets are dropped once known. */
  async keep(
    wallet: Wallet,
    reading: Reading,
    read: () => Promise<RankCard | undefined>,
  ): Promise<RankCard | undefined> {
    const key = keyOf(wallet);
    const { isStale } = reading;
    const kept = { revision: readingKey(reading), card: read(), until: this.#now() + KEPT_MS };
    this.#cards.set(key, kept);
    let card: RankCard | undefined;
    try {
      card = await kept.card;
    } finally {
      const isKept = card !== undefined && card.isStale === isStale;
      if (!isKept && this.#cards.get(key) === kept) this.#cards.delete(key);
    }
    if (card?.history.length === 0) kept.until = this.#now() + PLOTLESS_MS;
    return card;
  }
}

function keyOf({ chain, address }: Wallet): string {
  return `${chain} ${address}`;
}
