import { CONTRACT, headOf, hex, TOPIC } from './votes.ts';

/** Asks a node for all logs in ranges like Fathom's, four at once, and parses them: no more than that. */

const AT_ONCE = 4;
/** Logs in an answer. */
const WIDTH = 2_500;

const [url = '', votes = '0', perBlock = '1'] = process.argv.slice(2);
const chain = { votes: Number(votes), perBlock: Number(perBlock) };
const blocks = Math.max(1, Math.floor(WIDTH / chain.perBlock));
let next = 1;
let found = 0;

async function fetchSome(): Promise<void> {
  for (let from = next; from <= headOf(chain); from = next) {
    next = from + blocks;
    const filter = { address: CONTRACT, topics: [TOPIC] };
    const range = { fromBlock: hex(from), toBlock: hex(Math.min(headOf(chain), next - 1)) };
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify([
        { jsonrpc: '2.0', id: 0, method: 'eth_getLogs', params: [{ ...filter, ...range }] },
      ]),
    });
    const [{ result }] = JSON.parse(await answer.text()) as [{ result: unknown[] }];
    found += result.length;
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: AT_ONCE }, fetchSome));
if (found !== chain.votes) throw new Error(`${found} of ${chain.votes} were found`);
const seconds = (performance.now() - began) / 1_000;
console.log(`RESULT ${JSON.stringify({ seconds })}`);
