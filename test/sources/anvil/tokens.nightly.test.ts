import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere, workplace } from '../../support/import-cli.ts';
import { patienceMs } from '../../support/patience.ts';
import { serveHere } from '../../support/serve-here.ts';
import { type Anvil, missingAnvil, startAnvil } from './node.ts';
import { DAY_0 } from './reef.ts';
import { playTokens, type Tokens } from './tokens.ts';

/** @param by how `hold` is to get balances @param asked how it's to get those that follow no events */
function rulesOf(
  { Wrapped, Given, Batch, Kitties, Shares, Taxed, Punks }: Tokens,
  by: string,
  asked = by,
): string {
  const rule = (id: string, held: string, min: number, since: bigint, points: number, how = by) =>
    `  - {id: ${id}, hold: {source: eth, ${held}, min: ${min}, since: ${since}${how}}, give: {type: held, points: ${points}}}\n`;
  return `fathom: 1
name: tokens
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
${rule('wrapped', `erc20: ${Wrapped.address}`, 30, 0n, 1)}${rule('given', `erc20: ${Given.address}`, 400, Given.block + 1n, 10)}${rule('batch', `erc721: ${Batch.address}`, 1, 0n, 100)}${rule('kitties', `erc721: ${Kitties.address}`, 1, 0n, 1_000)}${rule('shares', `erc20: ${Shares.address}`, 250, 0n, 10_000, asked)}${rule('taxed', `erc20: ${Taxed.address}`, 360, 0n, 100_000, asked)}${rule('punks', `erc20: ${Punks.address}`, 1, 0n, 1_000_000)}`;
}

describe.skipIf(missingAnvil !== undefined)(missingAnvil ?? 'tokens that people hold', () => {
  let anvil: Anvil;
  let played: Awaited<ReturnType<typeof playTokens>>;
  beforeAll(async () => {
    anvil = await startAnvil(DAY_0);
    played = await playTokens(anvil.url);
  });
  afterAll(() => anvil?.remove());

  it('are added up by all that moves them, as a check of the rules says they must be', async () => {
    const { a, b, tokens } = played;
    const place = workplace({
      'rules.yaml': rulesOf(tokens, ', by: events', ', by: balance'),
      'plain.yaml': rulesOf(tokens, ''),
    });
    const env = { ...place.env, NODE: anvil.url, RULES: join(place.cwd, 'rules.yaml') };
    const run = (...args: string[]) => runHere(args, env, place.cwd);
    const { stdout: advice } = await run('rules', 'check', 'plain.yaml');
    for (const [id, fit] of [
      ['wrapped', '1 of its newest 3'],
      ['batch', '1 of its newest 2'],
      ['kitties', '0 of its newest 4'],
      ['punks', '1 of its newest 3'],
    ]) {
      expect(advice).toContain(`Rule ${id}: ${fit} logs fit: its balances change by other events`);
    }
    expect(advice).toContain('Rule shares: 2 of its newest 2 logs fit. It keeps shares, so');
    expect(advice).toMatch(
      /Rule taxed: .* logs fit. The balance of 0x\w+ doesn't follow its events/,
    );
    expect(advice.match(/use "by: balance", which needs archive nodes/g)).toHaveLength(2);
    const { stdout: fine } = await run('rules', 'check', 'rules.yaml');
    expect(fine).not.toMatch(/use "by|add "by/);
    const service = await serveHere(env);
    onTestFinished(() => service.stop());
    const scoreOf = async (address: string) =>
      ((await (await fetch(`${service.url}/v1/reputation/${address}`)).json()) as { score: number })
        .score;
    // Days held in full: a 1, 2 and 3, since what it was given counts from the first block; b 2 and 3. Of the shares
    // that lost half of their worth on day 2, b then holds too few; what it got of the taxed 400 is enough.
    const expected = { a: 3 * 1_111_111, b: 2 * 1_101_111 };
    await vi.waitFor(
      async () => expect({ a: await scoreOf(a), b: await scoreOf(b) }).toEqual(expected),
      { timeout: patienceMs(100_000), interval: 200 },
    );
    const { stdout } = await run('sources');
    expect(stdout).not.toContain('Rule ');
    expect(await run('evidence', 'export', 'tokens.ndjson.gz')).toMatchObject({ code: 0 });
    const verified = await run('evidence', 'verify', 'tokens.ndjson.gz', '--against-chain', '100%');
    expect(verified).toMatchObject({ code: 0, stderr: expect.not.stringContaining("can't") });
  });

  it('are counted once where their other events come beside transfers, or tell too little', async () => {
    const { Beside, Issued } = played.tokens;
    const rules = (how: string) => `fathom: 1
name: tokens
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
  - {id: beside, hold: {source: eth, erc20: ${Beside.address}, min: 1, since: 0${how}}, give: {type: held, points: 1}}
  - {id: issued, hold: {source: eth, erc20: ${Issued.address}, min: 1, since: 0${how}}, give: {type: held, points: 1}}
`;
    const ways = ['', ', by: events', ', by: balance'];
    const files = ways.map((how, place) => [`${place}.yaml`, rules(how)]);
    const place = workplace(Object.fromEntries(files));
    const env = { ...place.env, NODE: anvil.url };
    const said = async (file: string) =>
      (await runHere(['rules', 'check', file], env, place.cwd)).stdout;
    const [plain, wide, asked] = [await said('0.yaml'), await said('1.yaml'), await said('2.yaml')];
    expect(plain).toContain('logs fit. Its balances follow its transfers alone.');
    expect(wide).toContain('leave out "by: events"');
    expect(asked).toContain('a rule without "by" may do with fewer requests');
    for (const each of [plain, wide]) {
      expect(each).toContain('It also moves tokens by Issue and Redeem');
      expect(each.match(/use "by: balance"/g)).toHaveLength(1);
      expect(each).not.toContain('add "by: events"');
    }
    expect(asked).not.toMatch(/use "by|add "by/);
  });

  it('say so where a rule takes nothing of them in', async () => {
    const place = workplace({ 'rules.yaml': rulesOf(played.tokens, '') });
    const env = { ...place.env, NODE: anvil.url, RULES: join(place.cwd, 'rules.yaml') };
    const service = await serveHere(env);
    onTestFinished(() => service.stop());
    const sources = () => runHere(['sources'], env, place.cwd);
    await vi.waitFor(
      async () => {
        const { stdout } = await sources();
        expect(stdout).toContain('Rule kitties left out 4 of 4 events');
        expect(stdout).toContain('Rule given gives no points: the balance of');
      },
      { timeout: patienceMs(100_000), interval: 200 },
    );
  });
});
