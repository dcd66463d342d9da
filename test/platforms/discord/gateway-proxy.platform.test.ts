import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { check } from '#platforms/discord/check';
import { GatewayRelay } from '#platforms/discord/gateway/relay';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { testBot } from '../../support/discord/bot.ts';
import { eventually } from '../../support/eventually.ts';
import { FRONT_AUTHORITY, startTlsFront } from '../../support/tls-front.ts';

const API = 'https://discord.egress.test/api';
const CREDENTIALS = Buffer.from('user:p@ss').toString('base64');

/** A bot whose Discord has names that only the proxy knows, and speaks TLS. */
async function botBehindProxy(allows: (place: string) => boolean = () => true) {
  const bot = await testBot();
  const { discord } = bot;
  const trusted = getCACertificates('default');
  setDefaultCACertificates([FRONT_AUTHORITY]);
  const front = await startTlsFront(Number(new URL(discord.apiUrl).port));
  const proxy = await startConnectProxy(() => front, allows);
  discord.gateway.url = 'wss://gateway.egress.test';
  vi.stubEnv('HTTPS_PROXY', proxy.url.replace('://', '://user:p%40ss@'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    setDefaultCACertificates(trusted);
  });
  const asked = () => [...new Set(proxy.asked)];
  return { ...bot, proxy, asked };
}

const settings = (token: string) => ({
  bot: { token, apiUrl: API, membersIntent: false, http: undefined },
  clientSecret: undefined,
  publicUrl: undefined,
});

it('the gateway, its resumed sessions and REST go through a proxy', async () => {
  const { discord, up, asked, lines } = await botBehindProxy();
  const adapter = await up({ apiUrl: API });
  expect(asked()).toEqual([
    `CONNECT discord.egress.test:443 Basic ${CREDENTIALS}`,
    `CONNECT gateway.egress.test:443 Basic ${CREDENTIALS}`,
  ]);
  const question = discord.command('stats');
  await eventually(() => question.seen.length > 0);
  discord.gateway.drop();
  await eventually(() => discord.gateway.counts.resume >= 1 && adapter.status().ok);
  expect(discord.gateway.counts).toMatchObject({ sockets: 2, identify: 1 });
  await adapter.stop();
  await eventually(() => discord.gateway.open === 0);
  const logged = JSON.stringify(lines);
  expect(logged).not.toContain(CREDENTIALS);
  expect(logged).not.toMatch(/p@ss|p%40ss/);
});

it('a proxy that refuses the gateway is named once, without its credentials', async () => {
  const { start, lines, discord, proxy } = await botBehindProxy(
    (place) => !place.startsWith('gateway'),
  );
  const adapter = start({ apiUrl: API });
  const warned = () => lines.filter(({ level }) => level === 'warn');
  await eventually(() => warned().length > 0);
  const line = warned()[0]?.message;
  expect(line).toContain('gateway.egress.test is not let through by the proxy (HTTP 403)');
  expect(line).toContain('by way of http://127.0.0.1:');
  expect(adapter.status().detail).toContain('(HTTP 403)');
  expect(discord.gateway.counts.sockets).toBe(0);
  const tried = proxy.asked.length;
  await eventually(() => proxy.asked.length > tried + 4);
  expect(warned()).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain(CREDENTIALS);
});

it('doctor tries the gateway through the proxy', async () => {
  const { discord } = await botBehindProxy();
  const found = await check(settings(discord.token), '/discord/interactions');
  expect(found.map(({ level, subject }) => `${level} ${subject}`)).toEqual([
    'ok discord token',
    'ok discord gateway',
    'ok discord servers',
  ]);
  expect(discord.gateway.counts.identify).toBe(0);
});

it('doctor says that the proxy refuses the gateway', async () => {
  const { discord } = await botBehindProxy((place) => !place.startsWith('gateway'));
  const found = await check(settings(discord.token), '/discord/interactions');
  const gateway = found.find(({ subject }) => subject === 'discord gateway');
  expect(gateway?.level).toBe('fail');
  expect(gateway?.text).toContain('(HTTP 403)');
  expect(JSON.stringify(found)).not.toContain('p%40ss');
});

it('a relay leads nobody who knows no path of it', async () => {
  const { asked } = await botBehindProxy();
  const relay = new GatewayRelay(() => undefined);
  onTestFinished(() => relay.close());
  await relay.open();
  const { port } = new URL(relay.wayTo('wss://gateway.egress.test'));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/guess?v=10&encoding=json`);
  await new Promise((resolve) => socket.addEventListener('error', resolve));
  expect(asked()).toEqual([]);
});
