import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere, workplace } from '../../support/import-cli.ts';
import { patienceMs } from '../../support/patience.ts';
import { serveHere } from '../../support/serve-here.ts';
import { type Anvil, missingAnvil, startAnvil } from './node.ts';
import { DAY_0 } from './reef.ts';
import { playTemplates, SCHEMA } from './template-scene.ts';

/** Full days, of which there are two: the first day and the one that isn't over are none. */
const [DAY_1, BOTH] = [1, 2];

/** Points by rule, computed by hand. */
const EXPECTED = {
  a: {
    'governor-vote': 50,
    'governor-proposal': 100,
    'erc20-holder': 3 * BOTH,
    'nft-minter': 30,
    'nft-holder': 3 * BOTH,
    liquidity: 3 * BOTH,
    // 0.025 ether are two whole hundredths.
    donations: 2 * 5,
    poap: 5,
    'ens-name': BOTH,
  },
  b: {
    // Its vote had parameters.
    'governor-vote': 50,
    'governor-bravo-vote': 50,
    'governor-bravo-proposal': 100,
    // 9.5 tokens are fewer than the 10 that count.
    'nft-minter': 2 * 30,
    'nft-holder': 3 * BOTH,
    // 2 staked, of which 1.5 were taken on the second day.
    staking: 5 * DAY_1,
    donations: 500,
    'eas-attestation': 40,
    poap: 2 * 5,
    'ens-name': BOTH,
  },
  c: {
    'erc20-holder': 3 * DAY_1,
    'governor-bravo-vote': 50,
    liquidity: 3 * DAY_1,
  },
};

describe.skipIf(missingAnvil !== undefined)(missingAnvil ?? 'rules from templates', () => {
  let anvil: Anvil;
  let scene: Awaited<ReturnType<typeof playTemplates>>;
  beforeAll(async () => {
    anvil = await startAnvil(DAY_0);
    scene = await playTemplates(anvil.url);
  });
  afterAll(() => anvil?.remove());

  it('look at the contracts, and score what happened right to the point', async () => {
    const { members, contracts } = scene;
    const { a } = members;
    const place = workplace();
    const env = { ...place.env, EVM31337_RPC_URL: anvil.url };
    const add = async (name: string, contract: string, ...more: string[]) => {
      const args = [
        'rules',
        'add',
        name,
        ...contract.split(' '),
        '--chain',
        'eip155:31337',
        ...more,
      ];
      const done = await runHere(args, env, place.cwd);
      expect(done, done.stderr).toMatchObject({ code: 0 });
      return done.stderr;
    };
    const governor = await add('governor', `--contract ${contracts.governor}`);
    expect(governor).toMatch(/first log in block \d+\./);
    expect(governor).toContain('50 points  Voted on proposal');
    expect(governor).toContain('100 points  Created proposal');
    // Both votes, one of which had parameters.
    expect(governor.match(/50 points {2}Voted/g)).toHaveLength(2);
    await add('governor-bravo', `--contract ${contracts.bravo}`);
    const token = await add('erc20-holder', `--token ${contracts.token} --min 10`);
    expect(token).toMatch(/: REEF, 18 decimals, first log in block \d+\.$/m);
    expect(token).toMatch(/^2025-01-03 .* -45$/m);
    await add('nft-holder', `--collection ${contracts.nfts}`);
    expect(await add('nft-minter', `--collection ${contracts.nfts}`)).toContain('Minted token 3');
    await add('staking', `--contract ${contracts.staking}`);
    await add('liquidity', `--pair ${contracts.pair}`, '--min', '10');
    await add('donations', `--contract ${contracts.checkout}`);
    await add('eas-attestation', `--eas ${contracts.eas} --schema ${SCHEMA} --attester ${a}`);
    // These two are for one chain each: here, what they'd write there is put on ours.
    const [poap, ens] = [place.read('rules.yaml'), contracts.names];
    expect(poap).toContain('evm31337: {chain: "eip155:31337", rpc: [EVM31337_RPC_URL]}');
    for (const [name, option] of [
      ['poap', '--poap'],
      ['ens-name', '--registrar'],
    ] as const) {
      const args = ['rules', 'add', name, option, ens, '--since', '0'];
      expect(await place.runHere(args)).toMatchObject({ code: 0 });
    }
    const text = place
      .read('rules.yaml')
      .replaceAll('"eip155:100"', '"eip155:31337"')
      .replaceAll('"eip155:1"', '"eip155:31337"')
      .replaceAll(/GNO_RPC_URL|ETHEREUM_RPC_URL/g, 'EVM31337_RPC_URL');
    const rules = workplace({ 'rules.yaml': text });
    const service = await serveHere({
      ...{ ...rules.env, EVM31337_RPC_URL: anvil.url },
      RULES: join(rules.cwd, 'rules.yaml'),
    });
    onTestFinished(() => service.stop());
    const pointsOf = async (address: string) => {
      const response = await fetch(`${service.url}/v1/breakdown/${address}`);
      const body = (await response.json()) as { rules?: { id: string; points: number }[] };
      const given = (body.rules ?? []).filter(({ points }) => points > 0);
      return Object.fromEntries(given.map(({ id, points }) => [id, points]));
    };
    await vi.waitFor(
      async () => {
        const all = Object.entries(members).map(async ([who, each]) => [who, await pointsOf(each)]);
        expect(Object.fromEntries(await Promise.all(all))).toEqual(EXPECTED);
      },
      { timeout: patienceMs(100_000), interval: 300 },
    );
  });

  it('refuse an address without a contract, and say what a wrong contract lacks', async () => {
    const { members, contracts } = scene;
    const { cwd, env } = workplace();
    const run = (...args: string[]) =>
      runHere(
        ['rules', 'add', ...args, '--chain', 'eip155:31337'],
        { ...env, EVM31337_RPC_URL: anvil.url },
        cwd,
      );
    const empty = await run('governor', '--contract', members.a);
    expect(empty).toMatchObject({ code: 2 });
    expect(empty.stderr).toContain(`${members.a} has no code on eip155:31337`);
    const wrong = await run('governor', '--contract', contracts.token);
    expect(wrong.stderr).toContain('has no VoteCast, VoteCastWithParams, ProposalCreated: is it');
    const other = await run('governor-bravo', '--contract', contracts.governor);
    expect(other.stderr).not.toContain('Its code has no');
  });
});
