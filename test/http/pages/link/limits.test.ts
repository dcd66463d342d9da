import { describe, expect, it } from 'vitest';
import { countLocally, type RateCounterMaker } from '#base/rate-window';
import { ethereumKey } from '../../../support/link-keys.ts';
import { openLinkPage, type TestLinkPage } from '../../../support/link-page.ts';

const WALLET = ethereumKey(1);
const ticket = 'a'.repeat(32);

function post(path: string, body: unknown, headers: Record<string, string>, to: TestLinkPage) {
  return fetch(`${to.url}/link/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function refusal(answer: Response): Promise<string> {
  const { status, code } = (await answer.json()) as Record<string, unknown>;
  return `${status} ${code}`;
}

describe('the link page rejects', () => {
  it('more requests per minute than a client may make without a valid link', async () => {
    let now = Date.now();
    let client = 'a';
    const small = await openLinkPage({
      requestsAMinute: 3,
      clientOf: () => client,
      clock: () => now,
    });
    const status = async (path: string, body: unknown) =>
      (await post(path, body, {}, small)).status;
    expect(await status('open', { ticket })).toBe(410);
    expect(await status('challenge', { address: WALLET.address })).toBe(410);
    expect(await status('proof', {})).toBe(400);
    const answer = await post('open', { ticket: 'b'.repeat(32) }, {}, small);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await refusal(answer)).toBe('429 rate-limited');
    expect((await fetch(`${small.url}/link`)).status).toBe(200);
    client = 'b';
    expect(await status('look', { ticket: 'c'.repeat(32) })).toBe(410);
    client = 'a';
    now += 60_000;
    expect(await status('look', { ticket: 'd'.repeat(32) })).toBe(410);
    await small.close();
  });

  it('more requests a minute than a link allows, also from several clients', async () => {
    const clients = ['a', 'b', 'c', 'd'];
    const small = await openLinkPage({ requestsAMinute: 3, clientOf: () => clients.shift() ?? '' });
    const asked = { ticket: small.service.begin() };
    for (let i = 0; i < 3; i += 1) expect((await post('look', asked, {}, small)).status).toBe(200);
    expect(await refusal(await post('look', asked, {}, small))).toBe('429 rate-limited');
    await small.close();
  });

  it('no one in a whole community behind one IP address, even while someone guesses there', async () => {
    const crowded = await openLinkPage({ clientOf: () => 'the proxy' }, {});
    for (let i = 0; i < 40; i += 1) await post('open', { ticket }, {}, crowded);
    for (let i = 0; i < 40; i += 1) {
      const opened = await post('open', { ticket: crowded.service.begin() }, {}, crowded);
      expect(opened.status).toBe(200);
      const headers = { Cookie: String(opened.headers.get('set-cookie')?.split(';')[0]) };
      const asked = await post('challenge', { address: WALLET.address }, headers, crowded);
      const { text } = (await asked.json()) as { text: string };
      const signature = await WALLET.sign(Buffer.from(text));
      expect((await post('proof', { form: 'message', signature }, headers, crowded)).status).toBe(
        200,
      );
    }
    await crowded.close();
  });

  it("a flood of guesses before they're checked", async () => {
    const small = await openLinkPage({ requestsAMinute: 1 });
    const codes: number[] = [];
    for (let i = 0; i < 25; i += 1) {
      codes.push((await post('open', { ticket: `${i}`.padStart(32, 'a') }, {}, small)).status);
    }
    expect(codes).toEqual([410, ...new Array(24).fill(429)]);
    expect(small.service.asked).toHaveLength(21);
    await small.close();
  });

  it('The link page rejects without telling any counter what opens a link', async () => {
    const seen: string[] = [];
    const counters: RateCounterMaker = (name, options) => {
      const windows = countLocally(name, options);
      return {
        count: (client, at) => {
          seen.push(client);
          return windows.count(client, at);
        },
        peek: (client, at) => windows.peek(client, at),
      };
    };
    const shared = await openLinkPage({ counters });
    const secret = shared.service.begin();
    const opened = await post('open', { ticket: secret }, {}, shared);
    const Cookie = String(opened.headers.get('set-cookie')?.split(';')[0]);
    await post('challenge', { address: WALLET.address }, { Cookie }, shared);
    expect(seen).toHaveLength(2);
    for (const each of seen) {
      expect(each).not.toContain(secret);
      expect(each).not.toContain(Cookie.split('=')[1]);
    }
    await shared.close();
  });

  it('more than thirty guesses a minute by default', async () => {
    const usual = await openLinkPage({}, {});
    const guess = (i: number) => post('open', { ticket: `${i}`.padStart(32, 'a') }, {}, usual);
    for (let i = 0; i < 30; i += 1) expect((await guess(i)).status).toBe(410);
    expect((await guess(30)).status).toBe(429);
    await usual.close();
  });
});
