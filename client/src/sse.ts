import { ConnectionError } from './errors.ts';

export interface ServerSentEvent {
  readonly type: string;
  readonly id: string | undefined;
  /** Empty where only the id was told. */
  readonly data: string;
}

/** Longest event; ours have less than 1 KB. */
const EVENT_MAX = 1_000_000;

/**
 * Reads server-sent events as the HTML standard has them, comments left out. One with an id and no
 * data is told too: it isn't an event, but a reader that comes back goes on from there.
 * @param idleMs how long nothing may come, not even a comment
 * @throws ConnectionError if the stream breaks or stays silent
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const event = new EventBuilder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), idleMs);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      if (text.length > EVENT_MAX) throw new ConnectionError('An event of the stream is too long.');
      // A carriage return at the end may be half of a line break.
      const end = /\r$/.test(text) ? text.length - 1 : text.length;
      const lines = text.slice(0, end).split(/\r\n|\n|\r/);
      text = (lines.pop() ?? '') + text.slice(end);
      for (const line of lines) {
        const complete = event.take(line);
        if (complete !== undefined) yield complete;
      }
    }
  } finally {
    // Ends the connection, whether the caller stopped or the stream broke.
    await reader.cancel().catch(() => undefined);
  }
}

/** Puts an event together from its lines. */
class EventBuilder {
  #type = '';
  #data: string[] = [];
  #id: string | undefined;
  #hasId = false;

  /** @returns the event that an empty line ends */
  take(line: string): ServerSentEvent | undefined {
    if (line !== '') {
      this.#field(line);
      return undefined;
    }
    const event = { type: this.#type || 'message', id: this.#id, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0 && !this.#hasId;
    this.#type = '';
    this.#data = [];
    this.#hasId = false;
    return isEmpty ? undefined : event;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
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

/** @throws ConnectionError after so long; or as the promise */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ConnectionError('The stream has fallen silent.')),
      milliseconds,
    );
  });
  try {
    return await Promise.race([promise, silence]);
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError('The stream broke off.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
