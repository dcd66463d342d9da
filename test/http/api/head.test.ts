import { expect, it } from 'vitest';
import { exchangeRaw, parseAnswer, type TestApi, testApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

const PATH = `/v1/reputation/${ETH}`;

/** Headers that differ between requests or connections. */
const OWN = [
  'x-request-id',
  'connection',
  'keep-alive',
  'x-ratelimit-remaining',
  'ratelimit',
  'date',
];

function lasting(headers: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)));
}

/** The responses to requests sent in one piece, the last of which ends the connection. */
async function pipelined(api: TestApi, ...requests: string[]) {
  const text = await exchangeRaw(api, requests.join(''));
  return text.split(/(?=HTTP\/1\.1 )/).map(parseAnswer);
}

it('The API sends the same headers on kept-alive and closed connections, HTTP/1.1 and 1.0, GET and HEAD', async () => {
  const api = await testApi({ limits: { public: 10, key: 10 } });
  // In whole seconds, and formatted only once per second.
  const earliest = Date.now() - 2_000;
  const [kept, second, head, ended] = await pipelined(
    api,
    `GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `HEAD ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  const [old] = await pipelined(api, `GET ${PATH} HTTP/1.0\r\n\r\n`);
  expect(kept?.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=65' });
  expect(ended?.headers.connection).toBe('close');
  expect(old?.headers.connection).toBe('close');
  for (const answer of [kept, second, head, ended, old]) {
    expect(answer?.status).toBe(200);
    const date = Date.parse(String(answer?.headers.date));
    expect(date).toBeGreaterThanOrEqual(earliest);
    expect(date).toBeLessThanOrEqual(Date.now());
    expect(lasting(answer?.headers ?? {})).toEqual(lasting(kept?.headers ?? {}));
  }
  expect([second?.body, ended?.body, old?.body]).toEqual([kept?.body, kept?.body, kept?.body]);
  expect(head?.body).toBe('');
  expect(
    new Set([kept, second, head, ended].map((each) => each?.headers['x-request-id'])).size,
  ).toBe(4);
});
