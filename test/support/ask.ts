import { PLATFORMS } from '#app/config';
import { createBoards } from '#app/members/gating';
import type { WalletLinking } from '#app/members/linking';
import type { ApiKey } from '#base/api-key';
import { UserError } from '#base/errors';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { Answerer, type AnswererOptions } from '#commands/answering/answerer';
import type { CallerKeys } from '#commands/answering/command';
import { commands } from '#commands/index';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { partOfMemoryStore } from './empty-store.ts';
import { fixedSource, NOW } from './fixed-source.ts';
import { gatingWith } from './gating.ts';
import { linkingWith } from './linking.ts';
import { silentLog } from './log.ts';

export const CALLER: Caller = { platform: 'discord', id: '80351110224678912' };

/** An answerer over the fixed data set; any part can be replaced. */
export function answererWith(changes: Partial<AnswererOptions> = {}): Answerer {
  let linking: WalletLinking | undefined;
  const ownLinking = () => {
    linking ??= linkingWith({ clock: changes.clock ?? (() => NOW * 1000) });
    return linking;
  };
  return new Answerer({
    commands,
    source: changes.source ?? fixedSource(),
    wallets: createWalletParser(chains),
    thresholds: DEFAULT_THRESHOLDS,
    keysOf: () => fixedKeys(),
    linksOf: (caller) => ownLinking().of(caller),
    boards:
      changes.boards ??
      createBoards({
        store: partOfMemoryStore('gating'),
        adapterOf: () => undefined,
        shownAmong: (...asked) => ownLinking().shownAmong(...asked),
      }),
    gating: changes.gating ?? gatingWith().gating,
    platforms: PLATFORMS,
    log: silentLog,
    clock: () => NOW * 1000,
    ...changes,
  });
}

/** What a member sees. */
export function ask(
  answerer: Answerer,
  command: string,
  args: Record<string, string> = {},
  locale = 'en',
): Promise<Card> {
  return answerer.answer({ call: { command, args }, caller: CALLER, locale });
}

/** Keys of one caller, at most three at a time, with sequential ids. */
export function fixedKeys(labels: readonly string[] = []): CallerKeys {
  const keys: ApiKey[] = [];
  const add = (label: string): ApiKey => {
    const id = `00000000${String(keys.length).padStart(2, '0')}`;
    const key = { id, label, owner: 'discord:1', createdAt: NOW - 7200, revokedAt: undefined };
    keys.push(key);
    return key;
  };
  for (const label of labels) add(label);
  return {
    issue(label) {
      if (keys.filter((key) => key.revokedAt === undefined).length >= 3) {
        throw new UserError('key-limit', 'You have 3 live keys already.');
      }
      return { key: `fth_${'0'.repeat(36)}`, record: add(label) };
    },
    list: () => keys,
    revoke(id) {
      const at = keys.findIndex((key) => key.id === id);
      if (keys[at] === undefined) throw new UserError('key-not-found', `There is no key ${id}.`);
      keys[at] = { ...keys[at], revokedAt: NOW - 3600 };
    },
  };
}
