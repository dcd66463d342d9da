import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import { startConnectProxy } from './support/connect-proxy.ts';
import { EvmChain, openChainNode } from './support/evm-chain.ts';
import { runCli, temporaryFolder } from './support/import-cli.ts';
import { patienceMs } from './support/patience.ts';
import { chatsUp, startService } from './support/service.ts';
import { openHub } from './support/sources/snapshot-hub.ts';
import { FRONT_AUTHORITY_FILE, startTlsFront } from './support/tls-front.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const RULES = `fathom: 1
name: reef
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE_URL]}
  snap: {chain: snapshot, hub: [HUB_URL]}
rules:
  - {id: paid, on: {source: eth, contract: "${CONTRACT}", event: "Paid(address indexed who)", since: 1}, wallet: who, give: {type: paid, points: 5}}
  - {id: vote, on: {source: snap, space: reef.eth, since: 2020-09-01}, give: {type: vote, points: 20}}
`;

// No name here resolves, so whatever doesn't take the proxy arrives nowhere.
it('all that the service asks goes through the proxy, and its credentials are never printed', async () => {
  const cwd = temporaryFolder();
  const discord = new DiscordStandIn();
  await discord.open();
  const telegram = await TelegramStandIn.open();
  onTestFinished(async () => {
    await discord.close();
    await telegram.close();
    expect(discord.faults).toEqual([]);
  });
  const node = await openChainNode(new EvmChain(3_000));
  const hub = await openHub();
  const ports: Record<string, number> = {};
  for (const [name, url] of Object.entries({
    discord: discord.apiUrl,
    telegram: telegram.apiUrl,
    node: node.url,
    hub: hub.url,
  })) {
    ports[name] = await startTlsFront(Number(new URL(url).port));
  }
  const nameOf = (place: string) => place.split('.', 1)[0] ?? '';
  const proxy = await startConnectProxy(
    (place) => ports[nameOf(place).replace('gateway', 'discord')] ?? 1,
  );
  discord.gateway.url = 'wss://gateway.egress.test';
  writeFileSync(join(cwd, 'rules.yaml'), RULES);
  copyFileSync(FRONT_AUTHORITY_FILE, join(cwd, 'authority.pem'));
  writeFileSync(join(cwd, 'settings.env'), 'NODE_EXTRA_CA_CERTS=./authority.pem\n');
  const named = (name: string, url: string | URL) => {
    const { pathname, search } = new URL(url);
    return `https://${name}.egress.test${pathname}${search}`;
  };
  const env = {
    DATABASE_URL: `sqlite:${cwd}/f.db`,
    RULES: join(cwd, 'rules.yaml'),
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: named('discord', discord.apiUrl),
    TELEGRAM_TOKEN: telegram.token,
    TELEGRAM_API_URL: named('telegram', telegram.apiUrl).replace(/\/$/, ''),
    NODE_URL: named('node', node.url),
    HUB_URL: named('hub', hub.url),
    HTTPS_PROXY: proxy.url.replace('://', '://fathom:hush-p%40ss@'),
    NO_PROXY: 'nodes.egress.test',
    FATHOM_ENV_FILE: join(cwd, 'settings.env'),
    LOG_LEVEL: 'trace',
  };
  const service = await startService(env);
  await chatsUp(service);
  const reached = () => [...new Set(proxy.asked.map((line) => nameOf(line.split(' ')[1] ?? '')))];
  await expect
    .poll(() => new Set(reached()), { timeout: patienceMs() })
    .toEqual(new Set(['discord', 'gateway', 'hub', 'node', 'telegram']));
  const { stdout } = await runCli(['doctor'], { cwd, env });
  const ways = stdout.split('\n').filter((line) => /^ok +(?:egress|discord gateway) /.test(line));
  expect(ways).toHaveLength(3);
  expect(ways.join(' ')).toMatch(/gateway\.egress\.test can be reached through http:\/\/127/);
  for (const name of ['discord', 'telegram', 'node', 'hub']) {
    expect(ways.at(-2)).toContain(`${name}.egress.test`);
  }
  expect(ways.at(-1)).toContain('nodes.egress.test');
  await service.stop();
  const printed = service.output() + stdout;
  // In the thread that reads chains as well.
  expect(printed).not.toContain('certificate');
  const basic = Buffer.from('fathom:hush-p@ss').toString('base64');
  for (const secret of ['hush', basic]) expect(printed).not.toContain(secret);
});
