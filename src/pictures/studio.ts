import { hash } from 'node:crypto';
import type { Logger } from '#base';
import { within } from '#base/waiting';
import type { BadgePicture, BadgePictures } from './badge-pictures.ts';
import { Renderer, type RenderJob } from './render/renderer.ts';
import {
  type CardRequest,
  DRAWING_VERSION,
  type Pictures,
  type PreparedPicture,
} from './shown/pictures.ts';
import type { PicturedBadge } from './shown/rank-card.ts';

interface Slot {
  readonly start: number;
  readonly end: number;
}

/**
 * A cache of pictures, limited in bytes; drops those that weren't used for longest, roughly. It copies them
 * into one piece of memory, around and around: buffers of their own, dropped when they're old, would have V8
 * collect the whole heap every few seconds, and requests wait for that.
 */
export class PictureCache {
  /** In the order in which they were written, so from where the next one goes and around. */
  readonly #slots = new Map<string, Slot>();
  readonly #mostBytes: number;
  #memory: Uint8Array | undefined;
  #next = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** A copy of a picture. */
  get(key: string): Uint8Array | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    const picture = this.#memory?.slice(slot.start, slot.end);
    // Write it again before others reach it, but not with each use: that would drive out all others.
    const age = (this.#next - slot.start + this.#mostBytes) % this.#mostBytes;
    if (picture !== undefined && age > this.#mostBytes / 2) this.set(key, picture);
    return picture;
  }

  /** Caches a copy of a picture, unless it's larger than all of the cache. */
  set(key: string, picture: Uint8Array): void {
    this.#slots.delete(key);
    const { length } = picture;
    if (length > this.#mostBytes) return;
    // The system only provides what has been written to.
    this.#memory ??= new Uint8Array(this.#mostBytes);
    if (this.#next + length > this.#mostBytes) {
      this.#dropUntil(this.#mostBytes);
      this.#next = 0;
    }
    this.#dropUntil(this.#next + length);
    this.#memory.set(picture, this.#next);
    this.#slots.set(key, { start: this.#next, end: this.#next + length });
    this.#next += length;
  }

  /** Drops the pictures from where the next one goes up to an end. */
  #dropUntil(end: number): void {
    for (const [key, { start }] of this.#slots) {
      if (start < this.#next || start >= end) return;
      this.#slots.delete(key);
    }
  }
}

/** A card takes about 100 KB. */
const MOST_BYTES = 32 * 1024 * 1024;
/** How long a card or a page waits for badge pictures: most are cached, and a chat waits for a second. */
const SOON_MS = 500;
/** The same for those who keep for days what they get. */
const LASTING_MS = 6_000;

export interface PictureOptions {
  /** Undefined: badges are drawn from their tiers and initials. */
  readonly badges?: Pick<BadgePictures, 'get' | 'load'> | undefined;
  readonly log: Logger;
  /** For tests. */
  readonly renderer?: Pick<Renderer, 'isFull' | 'render' | 'close'>;
  readonly mostBytes?: number;
}

export interface PictureStudio extends Pictures {
  close(): Promise<void>;
}

/** Draws pictures in a thread and caches them. The thread starts with the first picture. */
export function openPictures(options: PictureOptions): PictureStudio {
  const { badges: operators } = options;
  const renderer = options.renderer ?? new Renderer(options);
  const kept = new PictureCache(options.mostBytes ?? MOST_BYTES);
  const drawing = new Map<string, Promise<Uint8Array>>();

  function prepared(key: string, digest: string, job: RenderJob): PreparedPicture {
    return {
      digest,
      kept: kept.get(key),
      draw() {
        const running = drawing.get(key) ?? draw(key, job).finally(() => drawing.delete(key));
        drawing.set(key, running);
        return running;
      },
    };
  }

  async function draw(key: string, job: RenderJob): Promise<Uint8Array> {
    const bytes = await renderer.render(job);
    kept.set(key, bytes);
    return bytes;
  }

  /** The badge pictures that can be had soon, by badge id. */
  async function picturesOf(
    badges: readonly PicturedBadge[],
    patienceMs: number,
  ): Promise<Map<string, BadgePicture>> {
    if (operators === undefined) return new Map();
    const pictured = badges.filter(({ imageUrl }) => imageUrl !== '');
    const missing = pictured.filter(({ imageUrl }) => operators.get(imageUrl) === undefined);
    if (missing.length > 0) {
      await within(
        Promise.all(missing.map(({ imageUrl }) => operators.load(imageUrl))),
        patienceMs,
      );
    }
    const found = pictured.flatMap(({ id, imageUrl }) => {
      const picture = operators.get(imageUrl);
      return picture === undefined ? [] : [[id, picture] as const];
    });
    return new Map(found);
  }

  return {
    get isFull() {
      return renderer.isFull;
    },
    async card({ card, look, format, style }: CardRequest) {
      const pictures = await picturesOf(card.badges, SOON_MS);
      const shown = [...pictures].map(([id, { digest }]) => [id, digest]);
      const styled = style && [style.accent ?? null, style.banner?.digest ?? null];
      const digest = digestOf([card, look, shown, ...(styled ?? [])]);
      const pngs = new Map([...pictures].map(([id, { png }]) => [id, png]));
      const job = { kind: 'card', card, look, format, pngs, style } as const;
      return prepared(`${format} ${digest}`, digest, job);
    },
    async badge(badge, isLasting) {
      const picture = (await picturesOf([badge], isLasting ? LASTING_MS : SOON_MS)).get(badge.id);
      if (picture !== undefined) {
        const { png, digest } = picture;
        return { digest, kept: png, draw: async () => png };
      }
      const { id, name, tier } = badge;
      const digest = digestOf([id, name, tier]);
      return prepared(`badge ${digest}`, digest, { kind: 'badge', badge });
    },
    close: () => renderer.close(),
  };
}

function digestOf(shown: unknown): string {
  return hash('sha256', JSON.stringify([DRAWING_VERSION, shown]), 'base64url').slice(0, 22);
}
