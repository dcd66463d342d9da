import { describe, expect, it } from 'vitest';
import { pointlessExemptions, proxyFor, unusedExemptions } from '#base/process/egress';

const PROXY = 'http://proxy.example:3128';

describe('the proxy of a request', () => {
  it.each([
    ['https://a.example/x', '', true],
    ['http://a.example/x', '', false],
    ['wss://gateway.discord.gg', '', true],
    ['https://a.example', 'a.example', false],
    ['https://b.a.example', 'a.example', false],
    ['https://b.a.example', '.a.example', false],
    ['https://a.example', '*.a.example', true],
    ['https://nota.example', 'a.example', true],
    ['https://a.example:8443', 'a.example:443', true],
    ['https://a.example', 'x, a.example:443', false],
    ['https://10.1.2.3', '10.0.0.0/8', false],
    ['https://11.1.2.3', '10.0.0.0/8 nonsense/99', true],
    ['https://[fd00::1]', 'fd00::/8', false],
    ['https://[fd00::1]:8443', '[fd00::1]:8443', false],
    ['https://[fd00::1]', 'FD00:0:0::0001', false],
    ['https://[fd00::1]:8443', '[fd00:0::1]:443', true],
    ['https://10.0.0.1', '10.0.0.1', false],
    ['https://10.0.0.1', '0.0.1 .1', true],
    ['https://A.Example.', 'a.example', false],
    ['https://bücher.example', 'bücher.example', false],
    ['https://a.bücher.example', '.bücher.example', false],
    ['https://a.example', '*', false],
    ['https://localhost:1', '', false],
    ['https://127.0.0.1', '', false],
    ['https://[::1]', '', false],
  ])('for %s with NO_PROXY=%s', (url, NO_PROXY, isProxied) => {
    const found = proxyFor(url, { HTTPS_PROXY: PROXY, NO_PROXY });
    expect(found?.href).toBe(isProxied ? `${PROXY}/` : undefined);
  });

  it.each([
    'https://a.example',
    'http://user:secret@a.example:80',
    'a.example:https',
    'a.example:0',
    'a.example:65536',
    'a.example/path',
    '10.0.0.0/33',
    '10.1',
    '192.168.',
    '10.*',
    'a*.example',
    'a.example;b.example',
  ])('nothing fits %s', (entry) => {
    expect(pointlessExemptions({ NO_PROXY: `good.example,${entry}` })).toEqual([entry]);
  });

  it('something fits all else', () => {
    const NO_PROXY = `a.example .a.example *.a.example:8443 a_b.example. bücher.example localhost *
      intranet 4everland.io 10.0.0.0/8 10.0.0.0/8:443 10.1.2.3:08545 fd00::/8 [fd00::]/8 [fd00::1]:443 ::1`;
    expect(pointlessExemptions({ NO_PROXY })).toEqual([]);
    expect(
      proxyFor('http://10.1.2.3:8545', { HTTP_PROXY: PROXY, NO_PROXY: '10.1.2.3:08545' }),
    ).toBe(undefined);
  });

  it('no target has a host named by an entry, unless it is one of this machine or nothing', () => {
    const NO_PROXY = `a.example, *.b.example c.example:8443 10.0.0.0/8 [fd00::]/8
      localhost 127.0.0.0/8 [::1]:80 10.*`;
    const unused = (...targets: string[]) =>
      unusedExemptions(
        targets.map((target) => new URL(target)),
        { NO_PROXY },
      );
    const all = ['a.example', '*.b.example', 'c.example:8443', '10.0.0.0/8', '[fd00::]/8'];
    expect(unused()).toEqual(all);
    expect(unused('https://x.a.example', 'http://10.1.2.3:8545')).toEqual([
      ...['*.b.example', 'c.example:8443', '[fd00::]/8'],
    ]);
    expect(unused('https://c.example:8443', 'wss://x.b.example', 'http://[fd00::9]')).toEqual([
      ...['a.example', '10.0.0.0/8'],
    ]);
  });

  it('is what small letters say first', () => {
    const env = { https_proxy: 'http://small:1', HTTPS_PROXY: PROXY, HTTP_PROXY: 'http://plain:2' };
    expect(proxyFor('https://a.example', env)?.host).toBe('small:1');
    expect(proxyFor('http://a.example', env)?.host).toBe('plain:2');
    expect(proxyFor('https://a.example', {})).toBeUndefined();
  });
});
