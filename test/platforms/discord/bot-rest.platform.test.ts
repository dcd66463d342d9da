import { expect, it, onTestFinished, vi } from 'vitest';
import { faultOf } from '#platforms/discord/gateway/faults';
import { askGateway } from '#platforms/discord/gateway/plan';
import { BotRest, isTransient } from '#platforms/discord/rest/bot-rest';
import { RestSignIn } from '#platforms/discord/rest/sign-in';
import { testBot } from '../../support/discord/bot.ts';

it("The bot's REST client waits for a rate limit bucket that other parts of the bot have used up", async () => {
  const { discord, up } = await testBot();
  const rest = new BotRest({ token: discord.token, apiUrl: discord.apiUrl });
  discord.rest.limits.set('gateway', 2, 3);
  // discord.js learns the bucket's name from the first response, and counts from the second on.
  await askGateway(rest, new AbortController().signal);
  // The second request fetches the gateway's info, the third is for connecting.
  await up({ rest });
  expect(discord.rest.counts.gateway).toBe(3);
  expect(discord.rest.limits.exceeded).toBe(0);
});

it("The bot's REST client continues after another part of the bot was refused the token", async () => {
  const { discord } = await testBot();
  const rest = new BotRest({ token: discord.token, apiUrl: discord.apiUrl });
  discord.rest.upset('me', { status: 401, body: { code: 0, message: '401: Unauthorized' } });
  const signIn = new RestSignIn({ rest, onUp: () => {} });
  expect(await signIn.ended).toMatchObject({ kind: 'token' });
  const { plan } = await askGateway(rest, new AbortController().signal);
  expect(plan).toEqual({ shards: 1, concurrency: 1 });
  rest.close();
});

it("The bot's REST client stops waiting for a rate limit once the caller gives up", async () => {
  const { discord } = await testBot();
  const rest = new BotRest({ token: discord.token, apiUrl: discord.apiUrl });
  discord.rest.limits.set('gateway', 2, 50);
  for (let i = 0; i < 2; i++) await askGateway(rest, new AbortController().signal);
  const caller = new AbortController();
  const asked = askGateway(rest, caller.signal);
  caller.abort(new Error('gave up'));
  await expect(asked).rejects.toThrow('gave up');
  expect(discord.rest.counts.gateway).toBe(2);
  rest.close();
});

it("The bot's REST client takes a proxy that is down for a fault of the network, not for a bug", async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const rest = new BotRest({ token: 'token', apiUrl: 'https://discord.test/api' });
  onTestFinished(() => rest.close());
  const asked = askGateway(rest, new AbortController().signal);
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(faultOf(error)).toMatchObject({ kind: 'network' });
  expect(isTransient(error)).toBe(true);
});
