import type { Config } from '#app';
import { fieldOf } from '#base';
import { HttpFailure, JsonClient } from '#base/json-http';

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 1024 * 1024;

/** What a running service has found at a node. */
export interface RunningNode {
  /** The environment variable that names it: several nodes may share a host. */
  readonly variable: string;
  readonly widest: number | undefined;
  readonly lastFault: string | undefined;
}

/** What a running service says about a source. */
export interface RunningSource {
  readonly id: string;
  readonly state: string | undefined;
  /** Why it isn't read, as a sentence. */
  readonly words: string | undefined;
  readonly nodes: readonly RunningNode[];
}

/** Asks the service that runs with these settings; undefined if none responds. */
export async function askService({
  metricsHost,
  metricsPort,
}: Pick<Config, 'metricsHost' | 'metricsPort'>): Promise<readonly RunningSource[] | undefined> {
  const client = new JsonClient({
    ...{ connections: 1, connectMs: TIMEOUT_MS, maxBytes: MAX_BYTES, addresses: 'any' },
  });
  try {
    const url = `http://${reachable(metricsHost)}:${metricsPort}/sources`;
    const reply = await client.send({ url, timeoutMs: TIMEOUT_MS });
    return reply.status === 200 ? listIn(reply.json()).flatMap(sourceIn) : undefined;
  } catch (error) {
    if (error instanceof HttpFailure) return undefined;
    throw error;
  } finally {
    await client.close();
  }
}

/** An address of this machine, if the service listens on all of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function sourceIn(json: unknown): RunningSource[] {
  const id = textIn(json, 'id');
  if (id === undefined) return [];
  const nodes = listIn(fieldOf(json, 'nodes')).flatMap(nodeIn);
  return [{ id, state: textIn(json, 'state'), words: textIn(json, 'words'), nodes }];
}

function nodeIn(json: unknown): RunningNode[] {
  const variable = textIn(json, 'variable');
  const widest = fieldOf(json, 'widest');
  if (variable === undefined) return [];
  const lastFault = textIn(json, 'lastFault');
  return [{ variable, lastFault, widest: typeof widest === 'number' ? widest : undefined }];
}

function listIn(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [];
}

/** A text for a terminal: anything could listen on that port. */
function textIn(json: unknown, name: string): string | undefined {
  const text = fieldOf(json, name);
  return typeof text === 'string' && /^\P{C}{1,2000}$/u.test(text) ? text : undefined;
}
