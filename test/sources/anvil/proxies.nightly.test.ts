import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Address,
  createTestClient,
  getAddress,
  http,
  pad,
  publicActions,
  walletActions,
} from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCli, workplace } from '../../support/import-cli.ts';
import { SAFE_PROXIES } from '../../support/safe-proxies.ts';
import { compileContracts } from './compile.ts';
import { type Anvil, missingAnvil, startAnvil } from './node.ts';
import { DAY_0 } from './reef.ts';

const SAFE = getAddress('0x5afe00000000000000000000000000000000cafe');
/** An account that borrows a contract's code (EIP-7702). */
const ACCOUNT = getAddress('0x7702000000000000000000000000000000007702');

type Kind = 'clone' | 'proxy' | 'beacon' | 'older' | 'facets' | 'safe' | 'account';
/** The proxies, and what they're of. */
type Proxies = Readonly<Record<Kind, Address>> & {
  readonly of: Readonly<Record<'Wrapped' | 'Shares' | 'Kitties', Address>>;
};

async function makeProxies(url: string): Promise<Proxies> {
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = (await client.getAddresses()) as [Address];
  const tokenOf = compileContracts('Tokens.sol');
  const proxyOf = compileContracts('Proxies.sol');
  const deploy = async ({ abi, bytecode }: ReturnType<typeof tokenOf>): Promise<Address> => {
    const hash = await client.deployContract({ abi, bytecode, account });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    return getAddress(contractAddress as Address);
  };
  const of = {
    Wrapped: await deploy(tokenOf('Wrapped')),
    Shares: await deploy(tokenOf('Shares')),
    Kitties: await deploy(tokenOf('Kitties')),
  };
  const { abi, bytecode } = proxyOf('Factory');
  const factory = await deploy({ abi, bytecode });
  const make = async (functionName: string, what: Address): Promise<Address> => {
    const call = { abi, address: factory, functionName, args: [what], account, gas: 3_000_000n };
    const hash = await client.writeContract(call);
    const { status, logs } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} failed`);
    return getAddress(`0x${logs.at(-1)?.topics[1]?.slice(26)}`);
  };
  const made = {
    clone: await make('clone', of.Kitties),
    proxy: await make('proxy', of.Shares),
    beacon: await make('beacon', of.Wrapped),
    older: await make('older', of.Shares),
    facets: await make('facets', of.Wrapped),
  };
  await client.setCode({ address: SAFE, bytecode: SAFE_PROXIES['Safe 1.0.0 to 1.4.1'] });
  await client.setStorageAt({ address: SAFE, index: 0, value: pad(of.Wrapped) });
  await client.setCode({ address: ACCOUNT, bytecode: `0xef0100${of.Kitties.slice(2)}` });
  await client.mine({ blocks: 4 });
  return { ...made, safe: SAFE, account: ACCOUNT, of };
}

const EVENT = '"Staked(address indexed who, uint256 amount)"';

/** A rule about a balance or an event of each proxy, and of the contracts behind them. */
function rulesOf(proxies: Proxies): string {
  const held = (id: string, contract: Address) =>
    `  - {id: ${id}, hold: {source: eth, erc20: "${contract}", min: 1, since: 0}, give: {type: held, points: 1}}\n`;
  const event = (id: string, contract: Address) =>
    `  - {id: ${id}, on: {source: eth, contract: "${contract}", event: ${EVENT}, since: 0}, wallet: who, give: {type: staked, points: 1}}\n`;
  const { proxy, beacon, older, safe, clone, account, facets, of } = proxies;
  return `fathom: 1
name: proxies
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
${held('proxy', proxy)}${held('beacon', beacon)}${held('older', older)}${held('safe', safe)}${event('clone', clone)}${event('account', account)}${event('facets', facets)}${held('own', of.Wrapped)}${event('own-event', of.Kitties)}${event('proxy-event', proxy)}`;
}

describe.skipIf(missingAnvil !== undefined)(missingAnvil ?? 'proxies', () => {
  let anvil: Anvil;
  let proxies: Proxies;
  beforeAll(async () => {
    anvil = await startAnvil(DAY_0);
    proxies = await makeProxies(anvil.url);
  });
  afterAll(() => anvil?.remove());

  /** What `rules check` says of each rule, without the blocks it looked through. */
  async function advice(url = anvil.url): Promise<Record<string, string>> {
    const place = workplace({ 'rules.yaml': rulesOf(proxies) });
    // Without a database, which tiers would be asked of.
    const { DATABASE_URL: _, ...env } = { ...place.env, NODE: url };
    const { stdout, stderr } = await runCli(['rules', 'check', 'rules.yaml'], {
      ...{ cwd: place.cwd, env },
    });
    if (stderr !== '') throw new Error(stderr);
    const lines = [
      ...stdout.matchAll(
        /^Rule (\S+): \S+ has logged no such event in blocks \d+ to \d+\. ?(.*)$/gm,
      ),
    ];
    return Object.fromEntries(lines.map(([, id = '', words = '']) => [id, words]));
  }

  it('are told from their code and storage, and what answers for them is looked at', async () => {
    const { Wrapped, Shares, Kitties } = proxies.of;
    const exchanged = 'which can be exchanged, and its events with it.';
    const shares =
      'The code that answers for it keeps shares, so balances change without events (it rebases): use "by: balance", which needs archive nodes.';
    const wraps =
      'also logs Deposit and Withdrawal: if these move balances without a Transfer beside them, add "by: events" to "hold".';
    const lacks = 'has no such event: is it declared as in the contract?';
    expect(await advice()).toEqual({
      proxy: `It's a proxy of ${Shares}, ${exchanged} ${shares}`,
      beacon: `It's a proxy of ${Wrapped}, ${exchanged} The code that answers for it ${wraps}`,
      older: `It's a proxy of ${Shares}, ${exchanged} ${shares}`,
      safe: `It's a proxy of ${Wrapped}, ${exchanged} The code that answers for it ${wraps}`,
      clone: `It's a clone of ${Kitties}, which answers for it. The code that answers for it ${lacks}`,
      account: `It's an account that borrows the code of ${Kitties}, which its owner can exchange. The code that answers for it ${lacks}`,
      facets: "It hands calls on to another contract, which can't be told.",
      own: `Its code ${wraps}`,
      'own-event': `Its code ${lacks}`,
      'proxy-event': `It's a proxy of ${Shares}, ${exchanged} The code that answers for it ${lacks}`,
    });
  });

  it.each([
    ["doesn't tell what contracts store", { error: { code: -32601, message: 'not found' } }],
    ['makes up what contracts store', { result: pad('0xbad') }],
    ['sends anything', { result: '0x' }],
  ])('are never taken for contracts that lack something, by a node that %s', async (_, answer) => {
    const url = await behind(anvil, answer);
    const told = await advice(url);
    const unknown = expect.stringMatching(
      /^It may be a proxy: it can run another contract's code, but the node doesn't tell which \(eth_getStorageAt\)\.$|^It hands calls on to another contract, which can't be told\.$/,
    );
    const { proxy, beacon, older, safe, facets, clone, own } = told;
    expect({ proxy, beacon, older, safe, facets, event: told['proxy-event'] }).toEqual({
      ...{ proxy: unknown, beacon: unknown, older: unknown, safe: unknown, facets: unknown },
      event: unknown,
    });
    // These need no storage.
    expect(clone).toContain("It's a clone of");
    expect(own).toContain('Its code also logs Deposit and Withdrawal');
  });
});

interface Call {
  readonly id: number;
  readonly method: string;
}

/** A node of the same chain that answers this about storage. */
async function behind(anvil: Anvil, answer: object): Promise<string> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const headers = { 'content-type': 'application/json' };
    const calls = JSON.parse(body.toString()) as Call | Call[];
    const told = await fetch(anvil.url, { method: 'POST', body, headers });
    const own = (await told.json()) as object;
    const change = ({ id, method }: Call, as: object | undefined) =>
      method === 'eth_getStorageAt' ? { jsonrpc: '2.0', id, ...answer } : as;
    const changed = Array.isArray(calls)
      ? calls.map((each, place) => change(each, (own as object[])[place]))
      : change(calls, own);
    res.writeHead(200, headers).end(JSON.stringify(changed));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
