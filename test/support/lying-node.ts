import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

/** What becomes of a true answer to a method; `null` for no answer at all. */
type Lie = (method: string, answer: Answer) => unknown;

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
  'another id': (_, answer) => ({ ...answer, id: 99 }),
  error: (method, { id }) =>
    method === 'eth_call' ? { id, error: { code: -32000, message: 'header not found' } } : { id },
  silence: () => null,
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
  const server = createServer((req, res) => {
    answer(req).then(
      (body) => (body === null ? res.destroy() : res.end(JSON.stringify(body))),
      () => res.destroy(),
    );
  });
  async function answer(req: AsyncIterable<Buffer>): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const headers = { 'Content-Type': 'application/json' };
    const truth = await fetch(real, { method: 'POST', headers, body });
    const { method } = JSON.parse(body) as { method: string };
    const said = (await truth.json()) as Answer;
    return lie === undefined ? said : lie(method, said);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lies: LIES,
    tells: (next) => {
      lie = next;
    },
  };
}
