import { expect, it } from 'vitest';
import { testApi } from '../support/api.ts';

it('The API shows a wildcard address as one that a browser can open', async () => {
  const api = await testApi({ host: '0.0.0.0' });
  expect(api.url).toBe(`http://127.0.0.1:${api.port}`);
  expect((await api.get('/livez')).status).toBe(200);
});
