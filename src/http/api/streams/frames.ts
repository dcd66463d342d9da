import type { ChangeFeed, ChangesPage, ChangesQuery } from '#reputation';

/** Entries per frame, which is what a slow reader may hold up. */
const ENTRIES = 100;
/** How many frames to cache, for streams that are close together. */
const KEPT = 64;

/** Serialized events, shared by all streams at the same position. */
export interface Frame {
  readonly bytes: Buffer;
  readonly next: string;
  readonly hasMore: boolean;
}

interface Kept {
  readonly head: string;
  readonly frame: Promise<Frame | 'gone'>;
}

/**
 * Reads the feed for streams. Streams that are up to date all need the same entries next, so these are read
 * and serialized once.
 */
export class ChangeFrames {
  readonly #feed: ChangeFeed;
  readonly #kept = new Map<string, Kept>();

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** The entries after a cursor. @throws RetryableError */
  after(after: string, chain: ChangesQuery['chain']): Promise<Frame | 'gone'> {
    const key = `${chain} ${after}`;
    const head = this.#feed.head();
    const known = this.#kept.get(key);
    if (known?.head === head) return known.frame;
    const frame = this.#read(after, chain);
    this.#kept.delete(key);
    this.#kept.set(key, { head, frame });
    frame.catch(() => {
      if (this.#kept.get(key)?.frame === frame) this.#kept.delete(key);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return frame;
  }

  async #read(after: string, chain: ChangesQuery['chain']): Promise<Frame | 'gone'> {
    const page = await this.#feed.read({ after, chain, limit: ENTRIES });
    if (page === 'gone') return 'gone';
    const { next, hasMore } = page;
    return { bytes: Buffer.from(eventsOf(page, after)), next, hasMore };
  }
}

function eventsOf({ changes, next }: ChangesPage, after: string): string {
  let text = '';
  for (const entry of changes) {
    const event = 'rules' in entry ? 'rules' : 'change';
    text += `event: ${event}\nid: ${entry.cursor}\ndata: ${JSON.stringify(entry)}\n\n`;
  }
  // Skip entries of other chains, so that a client that reconnects needn't go through them again.
  return changes.length === 0 && next !== after ? positionFrame(next) : text;
}

/** Sends a cursor without an event: a client that reconnects continues from there. */
export function positionFrame(cursor: string): string {
  return `: nothing new\nid: ${cursor}\n\n`;
}
