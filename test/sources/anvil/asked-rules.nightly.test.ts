import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere, workplace } from '../../support/import-cli.ts';
import { patienceMs } from '../../support/patience.ts';
import { type ServedHere, serveHere } from '../../support/serve-here.ts';
import { storePlaces } from '../../support/store-places.ts';
import { type Anvil, missingAnvil, startAnvil } from './node.ts';
import { DAY_0 } from './reef.ts';
import { playTokens } from './tokens.ts';

const places = storePlaces();

describe.skipIf(missingAnvil !== undefined)(missingAnvil ?? 'balances that are asked for', () => {
  let anvil: Anvil;
  let played: Awaited<ReturnType<typeof playTokens>>;
  beforeAll(async () => {
    anvil = await startAnvil(DAY_0);
    played = await playTokens(anvil.url);
  });
  afterAll(() => anvil?.remove());

  /** Of a token that rebases. */
  function rulesOf(version: number, how: string): string {
    const { address } = played.tokens.Shares;
    return `fathom: 1
name: tokens
version: ${version}
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
  - {id: seen, on: {source: eth, contract: "${address}", event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 0}, wallet: to, give: {type: seen, points: 1}}
  - {id: shares, hold: {source: eth, erc20: "${address}", min: 250, since: 0${how}}, give: {type: held, points: 10}}
`;
  }

  it('are rehearsed, go live, are undone, and move to another database', async () => {
    const { a, b } = played;
    const place = workplace({ 'rules.yaml': rulesOf(1, '') });
    const env = { ...place.env, NODE: anvil.url, RULES: join(place.cwd, 'rules.yaml') };
    const run = (...args: string[]) => runHere(args, env, place.cwd);
    const ask = async ({ url }: ServedHere, path: string) =>
      (await (await fetch(`${url}${path}`)).json()) as Record<string, unknown>;
    const until = (check: () => unknown) =>
      vi.waitFor(check, { timeout: patienceMs(100_000), interval: 200 });
    const scoresAre = (service: ServedHere, expected: object) =>
      until(async () => {
        const [{ score: ofA }, { score: ofB }] = (await Promise.all(
          [a, b].map((each) => ask(service, `/v1/reputation/${each}`)),
        )) as [Record<string, unknown>, Record<string, unknown>];
        expect({ a: ofA, b: ofB }).toEqual(expected);
      });

    const service = await serveHere(env);
    onTestFinished(() => service.stop());
    // Its transfers don't add up to its balances, so the first rules give nothing for them.
    const [plain, asked] = [
      { a: 1, b: 1 },
      { a: 31, b: 1 },
    ];
    await scoresAre(service, plain);
    writeFileSync(env.RULES, rulesOf(2, ', by: balance'));
    // What they need is read first.
    await until(async () => {
      const { code, stderr } = await run('rules', 'rehearse', 'rules.yaml');
      expect([code, stderr]).toEqual([0, '']);
    });
    await scoresAre(service, plain);
    expect(await run('rules', 'apply', 'rules.yaml', '--yes')).toMatchObject({ code: 0 });
    await scoresAre(service, asked);
    // What /why tells.
    const why = async (from: ServedHere) => (await ask(from, `/v1/breakdown/${a}`)).rules;
    expect(await why(service)).toMatchObject([
      { id: 'seen', points: 1 },
      { id: 'shares', points: 30 },
    ]);
    expect(await run('rules', 'undo')).toMatchObject({ code: 0 });
    await scoresAre(service, plain);
    writeFileSync(env.RULES, rulesOf(3, ', by: balance'));
    await until(async () => {
      expect(await run('rules', 'apply', 'rules.yaml', '--yes')).toMatchObject({ code: 0 });
    });
    await scoresAre(service, asked);
    const { digest } = await ask(service, '/v1/provenance');
    const before = await why(service);
    await service.stop();

    const other = await places.newPlace('postgres');
    const from = env.DATABASE_URL ?? `sqlite:${join(place.cwd, 'fathom.db')}`;
    expect(await run('migrate-store', from, other)).toMatchObject({ code: 0 });
    const moved = await serveHere({ ...env, DATABASE_URL: other });
    onTestFinished(() => moved.stop());
    await scoresAre(moved, asked);
    expect(await why(moved)).toEqual(before);
    await until(async () => expect(await ask(moved, '/v1/provenance')).toMatchObject({ digest }));
  });
});
