import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { testApi } from '../../support/api.ts';

it('The API shows a wildcard address as one that a browser can open', async () => {
  const api = await testApi({ host: '0.0.0.0' });
  expect(api.url).toBe(`http://127.0.0.1:${api.port}`);
  expect((await api.get('/livez')).status).toBe(200);
});

it('The API on :: answers over IPv6 and IPv4', async (context) => {
  if (
    !Object.values(networkInterfaces())
      .flat()
      .some((each) => each?.family === 'IPv6')
  ) {
    context.skip('this machine has no IPv6');
    return;
  }
  const api = await testApi({ host: '::' });
  expect(api.url).toBe(`http://[::1]:${api.port}`);
  for (const host of ['[::1]', '127.0.0.1']) {
    expect((await fetch(`http://${host}:${api.port}/livez`)).status).toBe(200);
  }
});
