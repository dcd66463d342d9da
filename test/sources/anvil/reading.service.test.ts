import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { untilPasses } from '../../support/eventually.ts';
import { runHere, workplace } from '../../support/import-cli.ts';
import { type ServedHere, serveHere } from '../../support/serve-here.ts';
import { type Anvil, missingAnvil, startAnvil } from './node.ts';
import { DAY_0, playReef, type Reef } from './reef.ts';
import { rulesOf } from './rules.ts';

/** Days on which they held enough: a 1 and 2, d 2. */
const SCORES = { a: 2 * 50 + 30 + 2 * 3 + 2 * 5, b: 50 + 30 + 7, c: 11, d: 3 };

describe.skipIf(missingAnvil !== undefined)(missingAnvil ?? 'a real Ethereum node', () => {
  let anvil: Anvil;
  let reef: Reef;
  beforeAll(async () => {
    anvil = await startAnvil(DAY_0);
    reef = await playReef(anvil.url);
  });
  afterAll(() => anvil?.remove());

  async function serve(
    rules: string,
    nodes: Record<string, string>,
    place = workplace({ 'rules.yaml': rules }),
  ) {
    const env = {
      ...place.env,
      ...nodes,
      RULES: join(place.cwd, 'rules.yaml'),
      RATE_LIMIT_PUBLIC: '100000',
    };
    const service = await serveHere(env);
    onTestFinished(() => service.stop());
    return { service, place, env };
  }

  async function ask({ url }: ServedHere, path: string) {
    return (await fetch(`${url}${path}`)).json() as Promise<Record<string, unknown>>;
  }

  async function scores(service: ServedHere) {
    const told = Object.entries(reef.members).map(async ([name, address]) => {
      const { score } = await ask(service, `/v1/reputation/${address}`);
      return [name, score];
    });
    return Object.fromEntries(await Promise.all(told));
  }

  it('is read into scores that say why and that anyone can verify, but for a rebasing token', async () => {
    const { service, place, env } = await serve(rulesOf(reef), { NODE: anvil.url });
    await untilPasses(async () => expect(await scores(service)).toEqual(SCORES));
    const { a, b, d } = reef.members;
    const { rules } = await ask(service, `/v1/breakdown/${a}`);
    expect(rules).toMatchObject([
      { id: 'vote', points: 100, count: 2 },
      { id: 'mint', points: 30, count: 2, capped: 30 },
      { id: 'reef', points: 6 },
      { id: 'corals', points: 10 },
    ]);
    expect(await ask(service, `/v1/reputation/${b}`)).toMatchObject({ badges: ['Coral'] });
    const { activities } = await ask(service, `/v1/activity/${a}`);
    expect(JSON.stringify(activities)).toContain('Voted: for the reef ✓ 🐙 for the reef');

    const run = (...args: string[]) => runHere(args, env, place.cwd);
    const { stdout } = await run('sources');
    expect(stdout).toContain(`Rule tide gives no points: ${d} has 2000`);
    expect(await run('evidence', 'export', 'reef.ndjson.gz')).toMatchObject({ code: 0 });
    const verified = await run('evidence', 'verify', 'reef.ndjson.gz', '--against-chain', '100%');
    expect(verified).toMatchObject({ code: 0 });
    const { digest } = await ask(service, '/v1/provenance');
    expect(verified.stdout).toContain(digest);
  });

  it('is declared as the kind of token it is, as a check says where its transfers show it', async () => {
    const { token, corals, shells } = reef.contracts;
    const hold = (id: string, what: string) =>
      `  - {id: ${id}, hold: {source: eth, min: 1, since: 0, ${what}}, give: {type: held, points: 1}}\n`;
    const place = workplace({
      'rules.yaml': `fathom: 1
name: kinds
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
${hold('nft', `erc20: "${corals}"`)}${hold('wide', `by: events, erc20: "${corals}"`)}${hold('coin', `erc721: "${token}"`)}${hold('multi', `erc20: "${shells}"`)}${hold('one', `token: 7, erc1155: "${corals}"`)}${hold('fine', `erc721: "${corals}"`)}`,
    });
    const { stdout } = await place.runHere(['rules', 'check', 'rules.yaml'], { NODE: anvil.url });
    const told = [...stdout.matchAll(/^Rule (\w+):.*?(?: as "(\w+)"\.)?$/gm)];
    expect(Object.fromEntries(told.map(([, id, kind]) => [id, kind]))).toEqual({
      nft: 'erc721',
      wide: 'erc721',
      coin: 'erc20',
      multi: 'erc1155',
      one: 'erc721',
      fine: undefined,
    });
  });

  it('is not believed where a second node contradicts it, until they agree', async () => {
    const second = await hidesVotesOf(anvil, reef.members.b);
    const nodes = { NODE: anvil.url, SECOND: second.url };
    const rules = rulesOf(reef, 'NODE, SECOND');
    const { service, place } = await serve(rules, nodes);
    await untilPasses(() => expect(service.output()).toContain('contradict each other about eth'));
    await untilPasses(async () => {
      const { checks } = await ask(service, '/readyz');
      expect(checks).toMatchObject({ sources: { ok: false } });
    });
    // Both mints came before the vote that one of them leaves out.
    expect(await scores(service)).not.toMatchObject({ b: SCORES.b });
    second.isHonest = true;
    await service.stop();
    const { service: again } = await serve(rules, nodes, place);
    await untilPasses(async () => expect(await scores(again)).toEqual(SCORES));
  });
});

/** A node of the same chain that leaves out what a wallet voted, while it isn't honest. */
async function hidesVotesOf(anvil: Anvil, wallet: string) {
  const node = { url: '', isHonest: false };
  const isVote = ({ topics }: { topics?: string[] }) =>
    topics?.length === 2 && topics[1]?.endsWith(wallet.slice(2).toLowerCase());
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const headers = { 'content-type': 'application/json' };
    const asked = await fetch(anvil.url, { method: 'POST', body: Buffer.concat(chunks), headers });
    const answer: unknown = await asked.json();
    for (const each of [answer].flat() as { result?: unknown }[]) {
      if (node.isHonest || !Array.isArray(each.result)) continue;
      each.result = each.result.filter((log) => !isVote(log));
    }
    res.writeHead(200, headers).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}
