import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '#app/config';
import { openVerifiedNames } from '#app/names';
import { messageOf } from '#base/errors';
import { TargetGuard } from '#base/json-http/target-guard';
import { checkNames } from '#cli/doctor/services';
import { checkNameServices } from '#names/services';
import { FixedSource } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';
import { openEnsNode } from '../support/names/ens-node.ts';
import { openJsonServer } from '../support/names/json-server.ts';
import { openSolanaNode } from '../support/names/solana-node.ts';

const TIMEOUT_MS = 60_000;
const guard = new TargetGuard({ privateNetworks: [] });
const NONE = { ethereumRpcUrl: undefined, solanaRpcUrl: undefined, nfdApiUrl: undefined };

describe('the name services', () => {
  it('are checked if configured, and say what is wrong without their addresses', async () => {
    const [ens, solana] = [await openEnsNode(), await openSolanaNode()];
    const nfd = await openJsonServer(() => ({ status: 404, body: {} }));
    const keyed = (url: string) => `${url}/kEyInPaTh`;
    const addresses = {
      ...{ ethereumRpcUrl: keyed(ens.url), solanaRpcUrl: keyed(solana.url) },
      ...{ nfdApiUrl: keyed(nfd.url), timeoutMs: TIMEOUT_MS },
    };
    const good = ['ENS', 'SNS', 'NFD'].map((service) => ({ service, error: undefined }));
    expect(await checkNameServices(addresses, guard)).toEqual(good);
    expect(await checkNameServices(NONE, guard)).toEqual([]);
    ens.blockAge = 3_600;
    solana.genesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
    nfd.instead = 'status 500';
    const bad = await checkNameServices(addresses, guard);
    expect(bad.map(({ error }) => messageOf(error))).toEqual([
      'The Ethereum node is far behind the chain. Try again later.',
      "The Solana node isn't on mainnet.",
      'The NFD API responded with status 500. Try again later.',
    ]);
  });

  it('are a line each for fathom doctor, and no failure', async () => {
    const config = {
      ...loadConfig({ DATABASE_URL: 'sqlite::memory:' }),
      ...{ ethereumRpcUrl: 'http://127.0.0.1:1/kEyInPaTh', solanaRpcUrl: 'http://127.0.0.1:1' },
    };
    const found = await checkNames(config);
    expect(found.map(({ level, subject }) => [level, subject])).toEqual([
      ['warn', 'ENS names'],
      ['warn', 'SNS names'],
    ]);
    expect(JSON.stringify(found)).toContain('so addresses are shown. The Ethereum node could not');
    expect(JSON.stringify(found)).not.toMatch(/kEyInPaTh|127\.0/);
    expect(await checkNames({ ...config, demo: true })).toEqual([]);
    expect(await checkNames(loadConfig({ DATABASE_URL: 'sqlite::memory:' }))).toEqual([]);
  });

  it('are asked for nothing on demo data', async () => {
    const ens = await openEnsNode();
    const best = addressOf('ethereum', 1);
    const source = new FixedSource([{ chain: 'ethereum', address: best, score: 1 }]);
    ens.reverse.set(best.toLowerCase(), 'best.eth');
    ens.forward.set('best.eth', best as `0x${string}`);
    const open = async (demo: boolean) => {
      const registry = new Registry();
      const closing: (() => Promise<void>)[] = [];
      const names = await openVerifiedNames({
        config: { ...NONE, demo, ethereumRpcUrl: ens.url, privateNetworks: [] },
        ...{ source, shared: undefined, registry, log: silentLog },
        onOpen: (close) => closing.push(close),
      });
      const close = async () => {
        for (const each of closing) await each();
      };
      return { names, registry, close };
    };
    const demo = await open(true);
    expect(demo.names.nameOf(best)).toBeUndefined();
    await expect(demo.names.walletOf('alice.eth')).rejects.toMatchObject({
      code: 'name-unsupported',
    });
    expect(await demo.registry.metrics()).not.toContain('fathom_names');
    await demo.close();
    expect(ens.server.requests).toBe(0);

    const real = await open(false);
    // The best wallets' names are looked up before anyone asks for them.
    await vi.waitFor(() => expect(ens.calls.length).toBeGreaterThan(0), { timeout: TIMEOUT_MS });
    await vi.waitFor(() => expect(real.names.nameOf(best)).toBe('best.eth'), {
      timeout: TIMEOUT_MS,
    });
    const metrics = await real.registry.metrics();
    expect(metrics).toContain('fathom_names_lookups_total{service="ENS",outcome="found"} 1');
    expect(metrics).toContain('fathom_names_waiting{service="ENS"} 0');
    expect(metrics).toContain('fathom_names_kept 1');
    await real.close();
  });
});
