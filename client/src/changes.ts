import type { ChangeEntry, ChangesQuery } from './change-types.ts';
import { ConnectionError, errorIn, isRetryable } from './errors.ts';
import { freshnessOf, type Result } from './freshness.ts';
import { readEvents } from './sse.ts';
import type { Transport } from './transport.ts';
import type { Changes } from './types.ts';
import { backoff, retryAfterOf, sleep } from './waiting.ts';

/** The server sends a comment every 15 seconds; after missing three, the connection is considered dead. */
const IDLE_MS = 45_000;
/** How long to poll pages before trying a stream again, and how often to poll. */
const PAGES_MS = 60_000;
const POLL_MS = 5_000;
const PAGE_MAX = 1_000;
/** A stream that lasted this long was fine, even if nothing changed meanwhile. */
const LASTING_MS = 60_000;

/** An item of a stream: an entry, or only a new cursor. */
interface StreamItem {
  readonly cursor: string;
  readonly entry: ChangeEntry | undefined;
}

/**
 * Reads one page, never from a browser's cache, which may be out of date. @throws FathomError,
 * ConnectionError
 */
export async function readChanges(
  transport: Transport,
  baseUrl: string,
  query: ChangesQuery,
  signal: AbortSignal | undefined,
): Promise<Result<Changes>> {
  const url = urlOf(baseUrl, query);
  const response = await transport.send(
    new Request(url, {
      headers: transport.headers(),
      cache: 'no-cache',
      ...(signal && { signal }),
    }),
  );
  const body = await bodyOf(response);
  if (!response.ok) throw errorIn(response, body);
  if (!isPage(body)) throw new ConnectionError(`${url.origin} sent something that is no page.`);
  return { ...body, ...freshnessOf(response.headers) };
}

/** See `Fathom.follow`. */
export async function* followChanges(
  transport: Transport,
  baseUrl: string,
  { after, chain }: Omit<ChangesQuery, 'limit'>,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<ChangeEntry> {
  const of = chain === undefined ? {} : { chain };
  // Known from the start, so that losing the connection before the first event loses no changes.
  let cursor = after ?? (await readChanges(transport, baseUrl, of, signal)).next;
  let failures = 0;
  for (;;) {
    const began = performance.now();
    let pagesMs = 0;
    try {
      const query = { ...of, after: cursor };
      for await (const { cursor: reached, entry } of streamed(transport, baseUrl, query, signal)) {
        // Each stream starts by sending its cursor, which doesn't prove that it works.
        if (entry !== undefined || reached !== cursor) failures = 0;
        if (entry !== undefined) yield entry;
        cursor = reached;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NoStream) pagesMs = error.milliseconds;
      else if (!isRetryable(error)) throw error;
    }
    if (pagesMs === 0) {
      if (performance.now() - began > LASTING_MS) failures = 0;
      failures += 1;
      await sleep(backoff(failures), signal);
      // A proxy may cut streams off; pages get through.
      if (failures >= 3) pagesMs = PAGES_MS;
    }
    const until = performance.now() + pagesMs;
    while (performance.now() < until) {
      let wait = POLL_MS;
      try {
        const query = { ...of, after: cursor, limit: PAGE_MAX };
        const page = await readChanges(transport, baseUrl, query, signal);
        for (const entry of page.changes) {
          yield entry;
          cursor = entry.cursor;
        }
        cursor = page.next;
        if (page.hasMore) wait = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (!isRetryable(error)) throw error;
      }
      await sleep(wait, signal);
    }
  }
}

/** Streams are unavailable; don't try again for this long. */
class NoStream extends Error {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super('The server sends no stream right now.');
    this.milliseconds = milliseconds;
  }
}

async function* streamed(
  transport: Transport,
  baseUrl: string,
  query: ChangesQuery,
  signal: AbortSignal,
): AsyncGenerator<StreamItem> {
  const response = await transport.stream(urlOf(baseUrl, query), query.after, signal);
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || response.body === null || !type.startsWith('text/event-stream')) {
    const error = errorIn(response, await bodyOf(response));
    // Errors that pages would run into as well; any other may only affect streams.
    const isSame = error.status >= 500 || [400, 401, 404, 410].includes(error.status);
    if (isSame) throw error;
    throw new NoStream(Math.max(retryAfterOf(response.headers) ?? 0, PAGES_MS));
  }
  for await (const { data, id } of readEvents(response.body, IDLE_MS, signal)) {
    if (data === '') {
      // A stream of one chain also sends the cursors of other chains' commits: an old cursor expires.
      if (id) yield { cursor: id, entry: undefined };
      continue;
    }
    const entry = parsed(data);
    if (!isEntry(entry)) continue;
    const cursor = id ?? entry.cursor;
    yield { cursor, entry: { ...entry, cursor } };
  }
}

function urlOf(baseUrl: string, query: ChangesQuery): URL {
  const url = new URL(`${baseUrl}/changes`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return parsed(await response.text());
  } catch (cause) {
    throw new ConnectionError('The answer broke off.', { cause });
  }
}

/** Parses JSON; returns anything else unchanged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isPage(body: unknown): body is Changes {
  return (
    typeof body === 'object' &&
    body !== null &&
    'changes' in body &&
    Array.isArray(body.changes) &&
    'next' in body &&
    typeof body.next === 'string'
  );
}

function isEntry(value: unknown): value is ChangeEntry {
  return typeof value === 'object' && value !== null && 'cursor' in value && 'at' in value;
}
