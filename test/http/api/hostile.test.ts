import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  askRaw,
  exchangeRaw,
  open,
  openApi,
  parseAnswer,
  type TestApi,
} from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const END = 'Connection: close\r\n\r\n';

/** Every response is a problem in the contract's form, with an id and no internals. */
async function expectProblem(text: string | Buffer, status: number, code: string) {
  const answer = await askRaw(api, text);
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{12}-/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers.connection).toBe('close');
  expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
  expect(JSON.parse(answer.body)).toMatchObject({ status, code });
  expect(answer.body).not.toMatch(/HPE_|node:|\.ts|Error:/);
  return answer;
}

describe('Host', () => {
  it.each([
    ['two', 'Host: a\r\nHost: b\r\n'],
    ['two equal ones', 'Host: a\r\nHost: a\r\n'],
    ['two in other letters', 'Host: a\r\nhOsT: a\r\n'],
    ['none', ''],
    ['a list', 'Host: a, b\r\n'],
    ['a path', 'Host: a/b\r\n'],
    ['a user', 'Host: u@a\r\n'],
    ['a space', 'Host: a b\r\n'],
  ])('answers %s with 400', async (_name, hosts) => {
    for (const path of ['/v1/stats/global', '/docs', '/livez', '/nothing']) {
      await expectProblem(`GET ${path} HTTP/1.1\r\n${hosts}${END}`, 400, 'bad-request');
    }
  });

  it.each(['localhost', 'a.example:8080', '[::1]:80', '127.0.0.1', ''])(
    'accepts "%s"',
    async (host) => {
      const { status } = await askRaw(
        api,
        `GET /v1/stats/global HTTP/1.1\r\nHost: ${host}\r\n${END}`,
      );
      expect(status).toBe(200);
    },
  );

  it('does not require Host in HTTP/1.0', async () => {
    const { status } = await askRaw(api, 'GET /v1/stats/global HTTP/1.0\r\n\r\n');
    expect(status).toBe(200);
  });
});

describe('sizes', () => {
  const line = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n${END}`;

  it('accepts a URL of 2048 characters, and answers a longer one with 414', async () => {
    const path = '/v1/reputation/';
    const { status } = await askRaw(api, line(path + 'a'.repeat(2048 - path.length)));
    expect(status).toBe(400);
    await expectProblem(line(path + 'a'.repeat(2049 - path.length)), 414, 'uri-too-long');
    await expectProblem(line(`/?${'a'.repeat(10_000)}`), 414, 'uri-too-long');
  });

  it.each([17_000, 100_000, 1_000_000])(
    'answers a URL of %d characters with 414',
    async (length) => {
      const answer = await expectProblem(line(`/v1/${'a'.repeat(length)}`), 414, 'uri-too-long');
      expect(answer.headers.ratelimit).toBeDefined();
      expect(answer.body.length).toBeLessThan(1_000);
    },
  );

  it.each([17_000, 100_000, 1_000_000])(
    'answers headers of %d characters with 431',
    async (length) => {
      const text = `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(length)}\r\n${END}`;
      await expectProblem(text, 431, 'headers-too-large');
    },
  );

  it('answers too many headers with 431', async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `X-${i}: ${i}\r\n`).join('');
    await expectProblem(
      `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n${many}${END}`,
      431,
      'headers-too-large',
    );
  });

  it('accepts 15 KiB of headers', async () => {
    const text = `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(15_000)}\r\n${END}`;
    expect((await askRaw(api, text)).status).toBe(200);
  });
});

describe('malformed input', () => {
  it.each<[string, string | Buffer]>([
    ['no HTTP', 'hello\r\n\r\n'],
    ['TLS', Buffer.from('160301020001000001fc0303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/3.0', `GET / HTTP/3.0\r\nHost: x\r\n${END}`],
    ['an unknown method', `NOTHING / HTTP/1.1\r\nHost: x\r\n${END}`],
    ['a space in the path', `GET /v1/a b HTTP/1.1\r\nHost: x\r\n${END}`],
    ['a header without a colon', `GET / HTTP/1.1\r\nHost: x\r\nnothing\r\n${END}`],
    ['a folded header', `GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n${END}`],
    ['a null in a header', `GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n${END}`],
    ['a bad length', `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n${END}`],
    [
      'two lengths',
      `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}`,
    ],
    [
      'length and chunks',
      `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${END}0\r\n\r\n`,
    ],
    ['zeros', Buffer.alloc(100)],
  ])('%s is 400', async (_name, text) => {
    await expectProblem(text, 400, 'bad-request');
  });

  it('answers odd characters in a path with 400 or 404, never 500', async () => {
    for (const path of [
      '/v1/reputation/\xff',
      '/v1/reputation/<x>',
      '/v1/reputation/a#b',
      '/#',
      '/v1/\x7f',
    ]) {
      const text = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n${END}`, 'latin1');
      const { status, body } = await askRaw(api, text);
      expect([400, 404], path).toContain(status);
      expect(JSON.parse(body)).toHaveProperty('code');
    }
  });

  it('never mixes garbage after a valid request into its response', async () => {
    api.source.later = true;
    try {
      const text = await exchangeRaw(
        api,
        `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n`,
      );
      if (text !== '') expect(parseAnswer(text).status).not.toBe(400);
    } finally {
      api.source.later = false;
    }
    expect((await api.get('/v1/stats/global')).status).toBe(200);
  });

  it('survives sockets that are reset at any moment', async () => {
    const parts = [
      '',
      'GET',
      'GET /v1/stats/global HTTP/1.1\r\nHo',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
    ];
    const full = 'GET /v1/leaderboard HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n\r\n';
    await Promise.all(
      [...parts, full, full.repeat(50)].map(
        (part) =>
          new Promise<void>((resolve) => {
            const socket = open(api);
            socket.on('error', () => undefined);
            socket.on('connect', () => {
              socket.write(part, () => socket.resetAndDestroy());
            });
            socket.on('close', () => resolve());
          }),
      ),
    );
    expect((await api.get('/v1/stats/global')).status).toBe(200);
    // At debug, each request has a line.
    expect(api.log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });
});

describe('slow clients', () => {
  it('cuts off 200 trickling clients without delaying others', async () => {
    const sockets = Array.from({ length: 200 }, (_, i) => dribble(i));
    await Promise.all(sockets.map((each) => each.connected));

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.get(`/v1/reputation/${ETH}`)),
    );
    expect(answers.every((each) => each.status === 200)).toBe(true);

    const texts = await Promise.all(sockets.map((each) => each.closed));
    for (const [i, text] of texts.entries()) {
      // The body isn't waited for: the request is answered at once, then the socket ends.
      expect(parseAnswer(text).status).toBe(i % 4 === 3 ? 405 : 408);
      expect(text).toContain('"code":"request-timeout"');
    }
  });

  /** One in four sends nothing at all, one endless headers, one an endless body. */
  function dribble(i: number) {
    const socket: Socket = open(api);
    let received = '';
    const body = 'POST /v1/leaderboard HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n';
    const begin = ['', 'GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n', 'GET /v1/sta', body][i % 4];
    const drop = setInterval(() => {
      // Reads first: a write to a closed connection fails, and what arrived before is lost then.
      setImmediate(() => {
        if (i % 4 !== 0 && socket.writable) socket.write(i % 4 === 2 ? 'x' : `X-${i}: 1\r\n`);
      });
    }, 300);
    const connected = new Promise<void>((resolve) => {
      socket.on('connect', () => {
        if (begin) socket.write(begin);
        resolve();
      });
    });
    const closed = new Promise<string>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(drop);
        resolve(received);
      });
    });
    return { connected, closed };
  }
});
