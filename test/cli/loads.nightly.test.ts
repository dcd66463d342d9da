import { expect, it } from 'vitest';
import { runCli, workplace } from '../support/import-cli.ts';
import { ROOT, SAME_PRIORITY, SOURCES } from '../support/program.ts';
import { startService } from '../support/service.ts';

/** Says at the end of each thread which packages it has loaded. */
const WATCH = `
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) loaded.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => writeSync(2, 'loaded: ' + [...loaded].join(' ') + '\\n'));`;

const WATCHED = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH)}` };

const RULES = `
fathom: 1
name: holders
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [MAINNET_RPC]}
rules:
  - id: holder
    hold: {source: eth, erc20: 0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB, min: 1, since: 17600000}
    give: {type: holding_day, points: 3}
`;

/** Of all threads. */
function loadedBy(output: string): ReadonlySet<string> {
  const lists = [...output.matchAll(/^loaded: (.+)$/gm)].map(([, list = '']) => list);
  return new Set(lists.flatMap((list) => list.split(' ')));
}

it.each([
  [['--help'], ['dotenv']],
  [['keys', 'list'], ['dotenv']],
  [['webhooks', 'list'], ['dotenv']],
  [['doctor'], ['@scure/base', 'dotenv']],
  [
    ['rules', 'check', 'rules.yaml'],
    ['@scure/base', 'dotenv', 'yaml'],
  ],
])('%j loads only the packages it uses', async (args, packages) => {
  const { cwd, env } = workplace({ 'rules.yaml': RULES });
  const { code, stderr } = await runCli(args, { cwd, project: ROOT, env: { ...env, ...WATCHED } });
  expect({ code, loaded: loadedBy(stderr) }).toEqual({ code: 0, loaded: new Set(packages) });
});

it('the service loads neither chats nor chains that nobody has configured', async () => {
  const { env } = workplace();
  const service = await startService({ ...env, ...WATCHED }, SAME_PRIORITY, SOURCES);
  expect(await service.stop()).toBe(0);
  const loaded = loadedBy(service.output());
  expect(loaded).toContain('fastify');
  for (const other of ['discord.js', 'grammy', 'ioredis', 'pg', 'viem']) {
    expect(loaded).not.toContain(other);
  }
});
