import { expect, it } from 'vitest';
import { testApi } from '../support/api.ts';

it('an address that stands for all of the machine is shown as one that a browser opens', async () => {
  const api = await testApi({ host: '0.0.0.0' });
  expect(api.url).toBe(`http://127.0.0.1:${api.port}`);
  expect((await api.get('/livez')).status).toBe(200);
});
