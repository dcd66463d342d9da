import { describe, expect, it } from 'vitest';
import { testApi } from '../../support/api.ts';

const DAY = 86_400_000;

describe('security.txt', () => {
  it('names the contact and expires within a year, renewed daily', async () => {
    const api = await testApi({
      contact: 'mailto:security@example.org',
      publicUrl: 'https://rep.example.org/',
    });
    api.time.now = Date.parse('2026-11-22T10:11:12Z');
    const answer = await api.get('/.well-known/security.txt');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe(
      [
        'Contact: mailto:security@example.org',
        'Expires: 2027-05-21T00:00:00Z',
        'Preferred-Languages: en, es',
        'Canonical: https://rep.example.org/.well-known/security.txt',
        '',
      ].join('\n'),
    );
    api.time.now += 400 * DAY;
    const later = await (await api.get('/.well-known/security.txt')).text();
    expect(Date.parse(/^Expires: (.*)$/m.exec(later)?.[1] ?? '')).toBeGreaterThan(api.time.now);
  });

  it('is missing if no contact is configured', async () => {
    const api = await testApi();
    expect((await api.get('/.well-known/security.txt')).status).toBe(404);
  });
});

it('The API serves a robots.txt that keeps crawlers from the API only', async () => {
  const api = await testApi();
  const text = await (await api.get('/robots.txt')).text();
  expect(text).toMatch(/^User-agent: \*\nDisallow: \/v1\/\n/);
  for (const path of ['/', '/docs', '/openapi.json', '/llms.txt']) {
    const rules = [...text.matchAll(/^Disallow: (.+)$/gm)].map(([, rule = '']) => rule);
    expect(rules.filter((rule) => path.startsWith(rule))).toEqual([]);
  }
});

it('The API serves an llms.txt that links to the description at the public address', async () => {
  const api = await testApi();
  const text = await (await api.get('/llms.txt')).text();
  expect(text).toMatch(/^# Fathom\n\n> /);
  for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
    expect(link.startsWith(`${api.url}/`), link).toBe(true);
    // The playground isn't part of this room.
    if (link !== `${api.url}/`) expect((await fetch(link)).status, link).toBe(200);
  }
});

it('The API serves favicon.ico as an icon in three sizes, unmodified', async () => {
  const api = await testApi();
  const answer = await api.get('/favicon.ico', { headers: { 'Accept-Encoding': 'gzip, br' } });
  expect(answer.headers.get('content-type')).toBe('image/vnd.microsoft.icon');
  expect(answer.headers.get('content-encoding')).toBeNull();
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([...bytes.subarray(0, 6)]).toEqual([0, 0, 1, 0, 3, 0]);
  expect(bytes.length).toBe(Number(answer.headers.get('content-length')));
});
