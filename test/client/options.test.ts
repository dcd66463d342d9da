import { expect, it, onTestFinished, vi } from 'vitest';
import { Fathom, type FathomOptions, verifyWebhook, WalletCopy } from '../../client/src/index.ts';

const URL_OF_ONE = 'http://127.0.0.1:9';

it.each([
  '',
  'rep.example.org',
  'http://',
  'ftp://127.0.0.1',
  `${URL_OF_ONE}?key=1`,
  `${URL_OF_ONE}#v1`,
])('The client refuses %j as a service at once, which would look like one that is away', (url) => {
  expect(() => new Fathom({ url })).toThrow(TypeError);
});

it('The client needs no URL.parse, which its oldest Node doesn’t have', () => {
  const parse = vi.spyOn(URL, 'parse').mockImplementation(() => {
    throw new TypeError('URL.parse is not a function');
  });
  onTestFinished(() => parse.mockRestore());
  expect(() => new Fathom({ url: URL_OF_ONE })).not.toThrow();
});

it('The client refuses a URL with a password, and doesn’t repeat it', () => {
  const url = 'https://user:hunter2@rep.example.org';
  expect(() => new Fathom({ url })).toThrow(/^(?!.*hunter2)/);
});

it.each<Partial<FathomOptions>>([
  { timeout: Number.NaN },
  { timeout: 0 },
  { timeout: '5s' as unknown as number },
  { maxWait: Number.NaN },
  { maxWait: -1 },
  { cache: { entries: Number.NaN, characters: 1_000 } },
  { cache: { entries: 10, characters: -1 } },
  { cache: 10 as unknown as NonNullable<FathomOptions['cache']> },
])(
  'The client refuses %j at once, with which calls would fail or its cache would grow for ever',
  (options) => {
    expect(() => new Fathom({ url: URL_OF_ONE, ...options })).toThrow(RangeError);
  },
);

it.each([Number.NaN, -1, '0' as unknown as number])(
  'A copy refuses %j ms to settle, with which it could take an older board than its cursor',
  (settle) => {
    const fathom = new Fathom({ url: URL_OF_ONE });
    expect(() => new WalletCopy(fathom, { settle })).toThrow(RangeError);
  },
);

const none = (options: object) => options as never;

it.each<[string, (fathom: Fathom) => unknown]>([
  ['the client', () => new Fathom(none({ url: URL_OF_ONE, timeOut: 5_000 }))],
  ['its cache', () => new Fathom({ url: URL_OF_ONE, cache: none({ entries: 1, chars: 1 }) })],
  ['a copy', (fathom) => new WalletCopy(fathom, none({ setle: 0 }))],
  ['a webhook', () => verifyWebhook('', {}, '', none({ tolerence: 5 }))],
  ['changes', (fathom) => fathom.changes(none({ cursor: '1-a' }))],
  ['a stream of changes', (fathom) => fathom.follow(none({ cursor: '1-a' }))],
  ['a reputation', (fathom) => fathom.reputation('a', none({ chian: 'eth' }))],
  ['activities', (fathom) => fathom.activity('a', none({ limt: 5 }))],
  ['badges', (fathom) => fathom.badges('a', none({ chain: 'eth' }))],
  ['lists of reputations', (fathom) => fathom.reputations(['a'], none({ singal: 1 }))],
  ['lists of badges', (fathom) => fathom.badgeLists(['a'], none({ singal: 1 }))],
  ['statistics', (fathom) => fathom.stats(none({ cahce: 'no-store' }))],
  ['a breakdown', (fathom) => fathom.breakdown('a', none({ singal: 1 }))],
  ['a provenance', (fathom) => fathom.provenance(none({ singal: 1 }))],
  ['a call for changes', (fathom) => fathom.changes({}, none({ singal: 1 }))],
  ['a call for a stream', (fathom) => fathom.follow({}, none({ singal: 1 }))],
])('A misspelt option of %s is refused, which would be as good as left out', async (_, use) => {
  const fathom = new Fathom({ url: URL_OF_ONE, maxWait: 0 });
  await expect(async () => use(fathom)).rejects.toThrow(TypeError);
});

it.each([Number.POSITIVE_INFINITY, 2 ** 40])('A timeout of %d is one', async (timeout) => {
  const answer = Response.json({ total: 1 });
  const fathom = new Fathom({ url: URL_OF_ONE, timeout, maxWait: 0, fetch: async () => answer });
  await expect(fathom.stats()).resolves.toMatchObject({ total: 1 });
});

it.each([
  ['https://rep.example.org/v1/', 'https://rep.example.org/v1/stats/global'],
  ['https://REP.example.org/a', 'https://rep.example.org/a/v1/stats/global'],
])('The client of %s asks %s', async (url, wanted) => {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    asked.push(request.url);
    return Response.json({ total: 1 });
  };
  await new Fathom({ url, fetch }).stats();
  expect(asked).toEqual([wanted]);
});
