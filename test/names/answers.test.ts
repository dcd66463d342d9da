import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UserError } from '#base/errors';
import { TargetGuard } from '#base/json-http/target-guard';
import { textsFor } from '#command/texts/index';
import { withVerifiedNames } from '#names/named-source';
import { Names } from '#names/names';
import { Ens } from '#names/services/ens/index';
import type { Reading, ReputationSource } from '#reputation/reputation-source';
import { shortAddress } from '#wallet/wallet';
import { answererWith, ask } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';
import { type EnsNode, openEnsNode } from '../support/names/ens-node.ts';

const TIMEOUT_MS = 60_000;
const WALLETS = [1, 2, 3, 4].map((number) => addressOf('ethereum', number)) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const [A, B, C, D] = WALLETS;

function give(node: EnsNode, address: `0x${string}`, name: string): void {
  node.reverse.set(address.toLowerCase(), name);
  node.forward.set(name, address);
}

async function openAnswerer(change = (source: ReputationSource) => source) {
  const node = await openEnsNode();
  const guard = new TargetGuard({ privateNetworks: [] });
  const ens = new Ens({ url: node.url, guard, timeoutMs: TIMEOUT_MS });
  const names = new Names({ services: [ens], log: silentLog, deadlineMs: TIMEOUT_MS });
  onTestFinished(() => names.close());
  const source = new FixedSource(
    WALLETS.map((address, i) => ({
      ...{ chain: 'ethereum', address, score: 1_000 - i },
      ...(address === A && { name: 'nemo' }),
    })),
  );
  const answerer = answererWith({ source: withVerifiedNames(change(source), names), names });
  const text = async (command: string, args = {}) => cardText(await ask(answerer, command, args));
  return { node, names, text, answerer };
}

/** Reads all wallets until their names are known. */
const known = (names: Names) =>
  vi.waitFor(
    () => {
      for (const each of WALLETS) names.nameOf(each);
      expect(names.status().kept).toBe(WALLETS.length);
    },
    { timeout: TIMEOUT_MS },
  );

describe('answers with verified names', () => {
  it('show them where the community has no name, and take them', async () => {
    const { node, names, text } = await openAnswerer();
    give(node, A, 'alice.eth');
    give(node, B, 'bob.eth');
    expect(await text('top')).toContain(shortAddress(B));
    await known(names);
    const top = await text('top');
    expect(top).toContain('nemo');
    expect(top).toContain('bob.eth');
    expect(top).toContain(shortAddress(C));
    expect(top).not.toContain('alice.eth');
    for (const wallet of ['bob.eth', 'Bob.ETH', B]) {
      expect(await text('rep', { wallet })).toContain(`*bob.eth* \`${B}\``);
    }
    expect(await text('top', { wallet: 'bob.eth' })).toContain('▸ bob.eth');
    const nobody = new UserError('name-not-found', '', [], { values: ['nobody.eth', 'ENS'] });
    expect(await text('rep', { wallet: 'nobody.eth' })).toContain(textsFor('en').errors.of(nobody));
  });

  it('show no name that could pass for another without its address', async () => {
    const { node, names, text, answerer } = await openAnswerer();
    const hostile = ['vitälik.eth', 'vita1ik.eth', 'alice.eth.mallory.eth'] as const;
    for (const [i, name] of hostile.entries()) give(node, [B, C, D][i] as typeof B, name);
    await known(names);
    const top = await text('top');
    const suggested = JSON.stringify(await answerer.suggest({ platform: 'discord', id: '1' }, ''));
    for (const [i, name] of hostile.entries()) {
      const address = [B, C, D][i] as string;
      expect(top).not.toContain(name.slice(0, 9));
      expect(top).toContain(shortAddress(address));
      expect(suggested).not.toContain(name);
      expect(await text('rep', { wallet: address })).toContain(`*${name}* \`${address}\``);
    }
  });

  it('never wait for a look-up', async () => {
    const { node, text } = await openAnswerer();
    node.server.instead = 'hang';
    for (let i = 0; i < 3; i++) {
      expect(await text('top')).toContain(shortAddress(B));
      expect(await text('rep', { wallet: B })).toContain(B);
    }
    await vi.waitFor(() => expect(node.server.requests).toBeGreaterThan(0), {
      timeout: TIMEOUT_MS,
    });
    expect(await text('top')).toContain(shortAddress(B));
  });

  it('show them over data from another instance, too', async () => {
    // Like an upstream, it's asynchronous.
    const later = (source: ReputationSource): ReputationSource => ({
      ...source,
      recognise: (text) => source.recognise(text),
      reading(urgency) {
        const base = source.reading(urgency);
        return new Proxy(base, {
          get(target, key) {
            const value = Reflect.get(target, key) as unknown;
            if (typeof value !== 'function') return value;
            return async (...args: unknown[]) => await Reflect.apply(value, target, args);
          },
        }) as Reading;
      },
    });
    const { node, names, text } = await openAnswerer(later);
    give(node, B, 'bob.eth');
    await known(names);
    expect(await text('top')).toContain('bob.eth');
    expect(await text('rep', { wallet: 'bob.eth' })).toContain(`*bob.eth* \`${B}\``);
  });
});
