import { ConnectionError } from './errors.ts';
import { within } from './waiting.ts';

export interface ServerSentEvent {
  readonly type: string;
  readonly id: string | undefined;
  /** Empty if the server only sent an id. */
  readonly data: string;
}

/** The longest accepted event; ours have less than 1 KB. */
const EVENT_MAX = 1_000_000;

/**
 * Parses server-sent events by the HTML standard, without comments. Also yields an id without data: by the
 * standard that's no event, but reconnecting starts after it.
 * @param idleMs how long to wait for any data, including comments
 * @param signal ends the wait, even if `fetch` no longer heeds it
 * @throws ConnectionError if the connection breaks or is silent for too long
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const event = new EventBuilder();
  const lines = new Lines();
  try {
    for (;;) {
      const { done, value } = await nextOf(() => reader.read(), idleMs, signal);
      if (done) return;
      // A chunk may have many events: each is bounded, not the chunk.
      for (const line of lines.take(decoder.decode(value, { stream: true }))) {
        const complete = event.take(line);
        if (complete !== undefined) yield complete;
        requireShort(event.length);
      }
      requireShort(lines.length + event.length);
    }
  } finally {
    // Close the connection, whether the caller stopped or the stream broke.
    await reader.cancel().catch(() => undefined);
  }
}

/** @throws ConnectionError */
function requireShort(length: number): void {
  if (length > EVENT_MAX) throw new ConnectionError('An event of the stream is too long.');
}

/** Splits a stream into lines, which end with a line feed, a carriage return, or both. */
class Lines {
  #rest = '';
  /** The last line ended with a carriage return at the end of a chunk: a line feed next belongs to it. */
  #hasEnded = false;

  /** Characters of the incomplete line. */
  get length(): number {
    return this.#rest.length;
  }

  /** @returns the lines that are complete now */
  take(chunk: string): string[] {
    if (chunk === '') return [];
    const text = this.#hasEnded && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    this.#hasEnded = chunk.endsWith('\r');
    // What is left of earlier chunks has no line break: it isn't read again with every piece of a long line.
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    const last = others.pop();
    this.#rest += first;
    if (last === undefined) return [];
    const lines = [this.#rest, ...others];
    this.#rest = last;
    return lines;
  }
}

/** Assembles an event from its lines. */
class EventBuilder {
  #type = '';
  /** Characters of the event so far. */
  length = 0;
  #data: string[] = [];
  #id: string | undefined;
  #hasId = false;

  /** @returns the event that an empty line completes */
  take(line: string): ServerSentEvent | undefined {
    if (line !== '') {
      this.#field(line);
      return undefined;
    }
    this.length = 0;
    const event = { type: this.#type || 'message', id: this.#id, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0 && !this.#hasId;
    this.#type = '';
    this.#data = [];
    this.#hasId = false;
    return isEmpty ? undefined : event;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    // Comments aren't kept.
    if (colon !== 0) this.length += line.length;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#type = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) {
      this.#id = value;
      this.#hasId = true;
    }
  }
}

/** @throws ConnectionError, of which the signal's reason may be the cause */
async function nextOf<T>(read: () => Promise<T>, idleMs: number, signal: AbortSignal): Promise<T> {
  try {
    return await within(idleMs, signal, fallenSilent, read);
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError('The stream broke off.', { cause: error });
  }
}

function fallenSilent(): ConnectionError {
  return new ConnectionError('The stream has fallen silent.');
}
