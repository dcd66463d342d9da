import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { TargetGuard } from '#base/json-http/target-guard';
import { Ens } from '#names/services/ens/index';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { type EnsNode, openEnsNode, RUBBISH } from '../support/names/ens-node.ts';
import { openJsonServer } from '../support/names/json-server.ts';

/** Valid responses are waited for, however busy the machine is. */
const TIMEOUT_MS = 60_000;
const NEVER = new AbortController().signal;
const wallet = (number: number) => addressOf('ethereum', number) as `0x${string}`;
const [A, B] = [wallet(1), wallet(2)];

async function openEns(privateNetworks: readonly string[] = [], timeoutMs = TIMEOUT_MS) {
  const node = await openEnsNode();
  const ens = new Ens({ url: node.url, guard: new TargetGuard({ privateNetworks }), timeoutMs });
  onTestFinished(() => ens.close());
  return { node, ens };
}

function give(node: EnsNode, address: string, name: string): void {
  node.reverse.set(address.toLowerCase(), name);
  node.forward.set(name, address as `0x${string}`);
}

/** Those that were found, also the late ones. */
async function names(ens: Ens, ...addresses: readonly string[]) {
  const late: Promise<readonly [string, string | undefined]>[] = [];
  const soon = await ens.namesOf(addresses, NEVER, (address, name) => {
    late.push(name.then((found) => [address, found]));
  });
  const settled = await Promise.allSettled(late);
  const found = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  return Object.fromEntries([...soon, ...found]);
}

describe('ENS', () => {
  it('finds the names of wallets and the wallets of names', async () => {
    const { node, ens } = await openEns();
    give(node, A, 'alice.eth');
    expect(await names(ens, A, B)).toEqual({ [A]: 'alice.eth', [B]: undefined });
    expect(await ens.walletOf('alice.eth', NEVER)).toBe(A);
    expect(await ens.walletOf('nobody.eth', NEVER)).toBeUndefined();
    expect(createWalletParser(chains).parse(A).address).toBe(A);
    await ens.check();
  });

  it('asks for many wallets with few requests', async () => {
    const { node, ens } = await openEns();
    const wallets = Array.from({ length: 50 }, (_, i) => wallet(i + 1));
    for (const [i, each] of wallets.entries()) give(node, each, `a${i}.eth`);
    expect(Object.keys(await names(ens, ...wallets))).toHaveLength(50);
    expect(Math.max(...node.calls)).toBe(10);
    expect(node.calls.length).toBeLessThan(20);
  });

  it('ignores a claimed name that leads elsewhere, whatever the resolver says', async () => {
    const { node, ens } = await openEns();
    node.forward.set('vitalik.eth', B);
    node.reverse.set(A.toLowerCase(), 'vitalik.eth');
    expect(await names(ens, A)).toEqual({ [A]: undefined });
    node.lies = true;
    expect(await names(ens, A)).toEqual({ [A]: undefined });
  });

  it.each([
    ['capitals', 'Alice.eth'],
    ['an invisible sign', 'ali\u200bce.eth'],
    ['a joiner', 'ali\u200dce.eth'],
    ['a change of direction', 'alice\u202eeth.eth'],
    ['letters of two scripts', 'vitаlik.eth'],
    ['letters of another script that look Latin', 'рауріаӏ.eth'],
    ['full-width letters', 'ａlice.eth'],
    ['a space', 'alice .eth'],
    ['an empty label', 'alice..eth'],
    ['a soft hyphen', 'ali\u00adce.eth'],
    ['ten kilobytes', `${'a'.repeat(10_000)}.eth`],
    ['a line break', 'alice\n.eth'],
  ])('ignores a claimed name with %s', async (_, name) => {
    const { node, ens } = await openEns();
    give(node, A, name);
    give(node, B, 'bob.eth');
    expect(await names(ens, A, B)).toEqual({ [A]: undefined, [B]: 'bob.eth' });
  });

  it('keeps names in one script and with emoji', async () => {
    const { node, ens } = await openEns();
    for (const [i, name] of ['🦊.eth', 'اسم.eth', '漢字.eth', 'nick.xyz'].entries()) {
      give(node, wallet(i + 1), name);
      expect(await names(ens, wallet(i + 1))).toEqual({ [wallet(i + 1)]: name });
    }
  });

  it('reads a name again after it changed hands', async () => {
    const { node, ens } = await openEns();
    give(node, A, 'alice.eth');
    expect(await names(ens, A)).toEqual({ [A]: 'alice.eth' });
    node.forward.set('alice.eth', B);
    expect(await names(ens, A)).toEqual({ [A]: undefined });
    expect(await ens.walletOf('alice.eth', NEVER)).toBe(B);
  });

  it('looks up the others if one resolver uses up all gas or returns rubbish', async () => {
    const { node, ens } = await openEns();
    const wallets = Array.from({ length: 9 }, (_, i) => wallet(i + 1));
    for (const [i, each] of wallets.entries()) give(node, each, `a${i}.eth`);
    node.burning.add('a2.eth');
    node.instead.set('a5.eth', RUBBISH);
    const found = await names(ens, ...wallets);
    expect(Object.values(found)).toEqual(
      ['a0', 'a1', 'a3', 'a4', 'a6', 'a7', 'a8'].map((each) => `${each}.eth`),
    );
    await expect(ens.walletOf('a2.eth', NEVER)).rejects.toBeInstanceOf(RetryableError);
  });

  it.each(['hang', 'drip', 'reset', 'status 500', 'html', 'null', 'huge'] as const)(
    'says that the node is away if it does this: %s',
    async (misbehaviour) => {
      const isSlow = misbehaviour === 'hang' || misbehaviour === 'drip';
      const { node, ens } = await openEns([], isSlow ? 50 : TIMEOUT_MS);
      node.server.instead = misbehaviour;
      await expect(names(ens, A)).rejects.toBeInstanceOf(RetryableError);
      await expect(ens.walletOf('alice.eth', NEVER)).rejects.toBeInstanceOf(RetryableError);
    },
  );

  it('believes no node that is behind or on another network', async () => {
    const { node, ens } = await openEns();
    give(node, A, 'alice.eth');
    node.blockAge = 3_600;
    await expect(names(ens, A)).rejects.toBeInstanceOf(RetryableError);
    const other = await openEns();
    other.node.chainId = '0xaa36a7';
    await expect(names(other.ens, A)).rejects.toBeInstanceOf(UserError);
  });
});

describe('a gateway of ENS', () => {
  const LOOPBACK = ['127.0.0.0/8'];

  async function openGateway(data: string) {
    return await openJsonServer((path, body) => {
      const sender = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';
      const hex = `0x${Buffer.from('off.eth').toString('hex')}`;
      if (body === undefined) expect(path).toBe(`/${sender}/${hex}.json`);
      else expect(body).toEqual({ data: hex, sender });
      return { body: { data } };
    });
  }

  it('is asked by GET or POST, and then the next one', async () => {
    const gateway = await openGateway(A);
    const { node, ens } = await openEns(LOOPBACK);
    node.reverse.set(A.toLowerCase(), 'off.eth');
    for (const urls of [
      [`${gateway.url}/{sender}/{data}.json`],
      [gateway.url],
      ['http://127.0.0.1:1/{data}', `${gateway.url}/{sender}/{data}.json`],
    ]) {
      node.offchain.set('off.eth', urls);
      expect(await names(ens, A)).toEqual({ [A]: 'off.eth' });
    }
    expect(gateway.requests).toBe(3);
  });

  it('is never asked at a private address or without TLS, which proves nothing of the name', async () => {
    const gateway = await openGateway(A);
    const { node, ens } = await openEns();
    node.reverse.set(A.toLowerCase(), 'off.eth');
    give(node, B, 'bob.eth');
    for (const url of [
      gateway.url,
      gateway.url.replace('127.0.0.1', 'localhost'),
      gateway.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      gateway.url.replace('http:', 'https:'),
      'http://169.254.169.254/latest/{data}',
      'file:///etc/passwd',
      'nonsense',
    ]) {
      node.offchain.set('off.eth', [url]);
      expect(await names(ens, A, B)).toEqual({ [B]: 'bob.eth' });
    }
    expect(gateway.requests).toBe(0);
  });

  it('A gateway of ENS that hangs delays neither the names on chain nor those of other gateways', async () => {
    const { node, ens } = await openEns(LOOPBACK);
    const slow = await Promise.all(
      Array.from({ length: 10 }, () => openJsonServer(() => ({ body: {} }))),
    );
    const ending = new AbortController();
    const hanging = Array.from({ length: 28 }, (_, i) => wallet(i + 10));
    for (const gateway of slow) gateway.instead = 'hang';
    for (const [i, address] of hanging.entries()) {
      node.reverse.set(address.toLowerCase(), `slow${i}.eth`);
      // Some on hosts of their own, most on one.
      node.offchain.set(`slow${i}.eth`, [`${slow[Math.min(i, 9)]?.url}/{sender}/{data}.json`]);
    }
    const gateway = await openGateway(A);
    node.reverse.set(A.toLowerCase(), 'off.eth');
    node.offchain.set('off.eth', [gateway.url]);
    give(node, B, 'bob.eth');
    const late = new Map<string, Promise<string | undefined>>();
    const soon = await ens.namesOf([...hanging, A, B], ending.signal, (address, name) => {
      late.set(address, name);
      name.catch(() => undefined);
    });
    expect([...soon]).toEqual([[B, 'bob.eth']]);
    expect(await late.get(A)).toBe('off.eth');
    expect(late.size).toBe(29);
    const typed = new AbortController();
    await expect(ens.walletOf('off.eth', typed.signal)).resolves.toBe(A);
    ending.abort();
    await Promise.allSettled(late.values());
  });

  it('proves nothing of a name if it is away, sends rubbish or too much', async () => {
    const { node, ens } = await openEns(LOOPBACK);
    node.reverse.set(A.toLowerCase(), 'off.eth');
    const gateway = await openGateway(A);
    node.offchain.set('off.eth', [gateway.url]);
    for (const misbehaviour of [
      'status 500',
      'html',
      'null',
      'reset',
      'huge',
      'redirect',
    ] as const) {
      gateway.instead = misbehaviour;
      expect(await names(ens, A)).toEqual({});
    }
    await expect(ens.walletOf('off.eth', NEVER)).rejects.toBeInstanceOf(RetryableError);
  });

  it('is one of few that a name can make us ask', async () => {
    const gateway = await openGateway(A);
    gateway.instead = 'status 500';
    const { node, ens } = await openEns(LOOPBACK);
    node.offchain.set(
      'off.eth',
      Array.from({ length: 100 }, () => gateway.url),
    );
    await expect(ens.walletOf('off.eth', NEVER)).rejects.toBeInstanceOf(RetryableError);
    expect(gateway.requests).toBe(2);
  });
});
