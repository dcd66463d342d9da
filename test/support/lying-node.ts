import type { Misbehaviour } from './misbehaviour.ts';
import { openJsonServer } from './names/json-server.ts';

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

/** What becomes of a true answer to a method. */
type Lie = Misbehaviour | ((method: string, answer: Answer) => unknown);

const WORD = 64;
/** An answer of one method alone. */
const to =
  (method: string, result: unknown): Lie =>
  (asked, answer) =>
    asked === method ? { ...answer, result } : answer;

const LIES = {
  nothing: to('eth_call', '0x'),
  'no word': to('eth_call', '0x00'),
  'a word and more': to('eth_call', `0x${'0'.repeat(WORD)}00`),
  'two words': to('eth_call', `0x${'0'.repeat(2 * WORD)}`),
  'neither yes nor no': to('eth_call', `0x${'2'.padStart(WORD, '0')}`),
  null: to('eth_call', null),
  'a number': to('eth_call', 0),
  'another id': (_, answer) => ({ ...answer, id: answer.id + 1 }),
  error: (method, { id }) =>
    method === 'eth_call' ? { id, error: { code: -32000, message: 'header not found' } } : { id },
  silence: 'reset',
  'an old block': (method, answer) =>
    method === 'eth_getBlockByNumber'
      ? { ...answer, result: { timestamp: `0x${(1_700_000_000).toString(16)}` } }
      : method === 'eth_call'
        ? { ...answer, result: `0x${'0'.repeat(WORD)}` }
        : answer,
  endless: to('eth_call', `0x${'0'.repeat(2 ** 21)}`),
} satisfies Record<string, Lie>;

export interface LyingNode {
  readonly url: string;
  readonly lies: typeof LIES;
  /** Undefined: the truth. */
  tells(lie: Lie | undefined): void;
}

/** Passes requests on to a real node, and changes its answers. Closed after the test. */
export async function lyingNode(real: string): Promise<LyingNode> {
  let lie: Lie | undefined;
  const server = await openJsonServer(async (_, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const truth = await fetch(real, { method: 'POST', headers, body: JSON.stringify(body) });
    const { method } = body as { readonly method: string };
    const said = (await truth.json()) as Answer;
    return { body: typeof lie === 'function' ? lie(method, said) : said };
  });
  return {
    url: server.url,
    lies: LIES,
    tells: (next) => {
      lie = next;
      server.instead = typeof next === 'string' ? next : undefined;
    },
  };
}
