import { hash } from 'node:crypto';
import { BoundedMap, type Logger, messageOf, monotonicMs, RetryableError } from '#base';
import { HttpFailure, type JsonReply } from '#base/json-http';
import type { BadgeDefinition } from '#reputation';
import { DRAWING_VERSION, datedBadgePath } from './shown/pictures.ts';

/**
 * The path of a badge's picture for chats and social networks, which keep for days what they fetched: another
 * one once the badge looks different.
 */
export function lastingBadgePath(
  badge: Pick<BadgeDefinition, 'id' | 'name' | 'tier' | 'imageUrl'>,
): string {
  const { name, tier, imageUrl } = badge;
  const drawn = imageUrl === '' ? [DRAWING_VERSION] : [];
  const digest = hash('sha256', JSON.stringify([name, tier, imageUrl, ...drawn]), 'base64url');
  return datedBadgePath(badge, digest.slice(0, 10));
}

const HOUR_MS = 3_600_000;
/** How long to show a picture before asking for it again. */
const FRESH_MS = 24 * HOUR_MS;
/** How long not to retry a picture that failed. */
const REFUSED_MS = HOUR_MS;
/** The same if that wasn't its own fault. */
const AGAIN_MS = 60_000;
/**
 * How long to leave a host alone that didn't respond: a page full of badges on a host that hangs would hold up all
 * other badges for minutes.
 */
const AWAY_MS = 60_000;
/** A re-encoded picture takes about 30 KB. */
const MOST_KEPT = 500;
/** Concurrent fetches, each with a process that decodes; others wait. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 100;

interface BadgePicturesOptions {
  /** A GET request through the target guard, limited in time and size. */
  readonly fetch: (url: string, headers: Readonly<Record<string, string>>) => Promise<JsonReply>;
  /** Turns a stranger's file into a PNG of our own, or throws. */
  readonly reencode: (file: Uint8Array) => Promise<Uint8Array>;
  readonly log: Logger;
  /** For tests: milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

export interface BadgePicture {
  readonly png: Uint8Array;
  readonly digest: string;
}

interface Kept {
  /** Undefined if it failed. */
  readonly picture: BadgePicture | undefined;
  readonly etag: string | undefined;
  readonly until: number;
  /** Why it couldn't be fetched the last time, which has been logged. */
  readonly failed?: string | undefined;
}

/** Badge pictures that operators chose, fetched and re-encoded in the background, and cached in memory. */
export class BadgePictures {
  readonly #options: BadgePicturesOptions;
  readonly #clock: () => number;
  /** By URL, least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Hosts that didn't respond, until when to leave them alone. */
  readonly #away = new BoundedMap<string, number>(MOST_KEPT);
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: BadgePicturesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? monotonicMs;
  }

  /** A badge's picture, if it's cached; an old one is refreshed in the background. */
  get(url: string): BadgePicture | undefined {
    const kept = this.#kept.get(url);
    if (kept === undefined || this.#clock() >= kept.until) void this.load(url);
    if (kept === undefined) return undefined;
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    return kept.picture;
  }

  /** Resolves once the picture is cached, or can't be fetched for now. Never rejects. */
  load(url: string): Promise<void> {
    const kept = this.#kept.get(url);
    if (kept !== undefined && this.#clock() < kept.until) return Promise.resolve();
    const running = this.#underWay.get(url);
    if (running !== undefined) return running;
    // The next card that shows it will ask again.
    if (this.#waiting.length >= MOST_WAITING) return Promise.resolve();
    const work = this.#inTurn(() => this.#refresh(url, kept)).finally(() =>
      this.#underWay.delete(url),
    );
    this.#underWay.set(url, work);
    return work;
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#running < MOST_AT_ONCE) this.#running += 1;
    // A fetch that ends hands over its turn.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #refresh(url: string, before: Kept | undefined): Promise<void> {
    const now = this.#clock();
    const host = URL.parse(url)?.host ?? '';
    const { picture, etag } = before ?? {};
    const away = this.#away.get(host) ?? 0;
    if (now < away) {
      this.#keep(url, { picture, etag, until: away, failed: before?.failed });
      return;
    }
    try {
      const known = picture === undefined ? undefined : etag;
      const { fetch, reencode } = this.#options;
      const reply = await fetch(url, known === undefined ? {} : { 'if-none-match': known });
      if (reply.status === 304 && picture !== undefined) {
        this.#keep(url, { picture, etag, until: now + FRESH_MS });
        return;
      }
      if (reply.status !== 200) throw new Error(`it was answered with status ${reply.status}`);
      const png = await reencode(reply.bytes);
      const digest = hash('sha256', png, 'base64url').slice(0, 22);
      const newEtag = String(reply.headers.etag ?? '').slice(0, 200) || undefined;
      this.#keep(url, { picture: { png, digest }, etag: newEtag, until: now + FRESH_MS });
    } catch (error) {
      if (error instanceof HttpFailure && error.reason === 'timeout') {
        this.#away.set(host, this.#clock() + AWAY_MS);
      }
      // Without a host, the whole address is what's wrong.
      const where = host === '' ? { imageUrl: url.slice(0, 200) } : { host };
      const reason = messageOf(error);
      const isSaid = before?.failed === reason;
      this.#options.log[isSaid ? 'debug' : 'warn'](
        { ...where, reason },
        "could not get a badge's picture",
      );
      // Keep what was shown: a server that's down says nothing about its picture.
      const wait = error instanceof RetryableError ? AGAIN_MS : REFUSED_MS;
      this.#keep(url, { picture, etag, until: now + wait, failed: reason });
    }
  }

  #keep(url: string, kept: Kept): void {
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    if (this.#kept.size <= MOST_KEPT) return;
    const oldest = this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }
}
