import { inspect } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import {
  createLinkedRoles,
  type LinkedRoles,
  type LinkedRolesParts,
} from '#app/members/linked-roles';
import type { Logger } from '#base/log';
import type { CallerLinks } from '#linking/caller-links';
import { openLinkedRoles } from '#platforms/discord/linked-roles/open';
import { BotRest } from '#platforms/discord/rest/bot-rest';
import type { ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { MEMORY } from '#storage/sqlite/database';
import { openSqliteStore } from '#storage/sqlite/open';
import type { Store } from '#storage/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser, type Wallet } from '#wallet/wallet';
import type { User } from '../../bench/servers/discord/world.ts';
import { openApi, type TestApi } from './api.ts';
import { CookieJar, type Visit } from './cookie-jar.ts';
import { OAuthStandIn } from './discord/oauth.ts';
import { openMemoryStore } from './empty-store.ts';
import { eventually } from './eventually.ts';
import { FixedSource, type FixedWallet, fixedWallets, NOW } from './fixed-source.ts';
import { linkingWith } from './linking.ts';
import { silentLog } from './log.ts';

/** A source with wallets that can be changed, and that can fail. */
class ScoreSource implements ReputationSource {
  wallets: readonly FixedWallet[] = fixedWallets();
  /** Called with each new reading; what it throws is thrown by the reading's answers. */
  upset: (reading: FixedSource) => void = () => undefined;

  /** Changes a wallet, or adds it. */
  set({ chain, address }: Wallet, change: Partial<FixedWallet>): void {
    const before = this.wallets.find((each) => each.address === address);
    const others = this.wallets.filter((each) => each !== before);
    this.wallets = [...others, { score: 0, ...before, ...change, chain, address }];
  }

  reading(): FixedSource {
    const reading = new FixedSource(this.wallets);
    this.upset(reading);
    return reading;
  }

  recognise(): undefined {
    return undefined;
  }
}

/** Linked Roles on their own server, with a stand-in for Discord. */
export interface RolesWorld {
  readonly discord: OAuthStandIn;
  readonly source: ScoreSource;
  readonly store: Store;
  readonly api: TestApi;
  /** Milliseconds. */
  readonly time: { now: number };
  /** Everything logged, as one text. */
  logged(): string;
  /** What an operator sees by default. */
  said(): string[];
  /** The instance that runs on the server. */
  readonly roles: LinkedRoles;
  /** Another one on the same store, stopped after the test. */
  another(changes?: Partial<LinkedRolesParts>): LinkedRoles;
  /** Replaces the running one with one that waits for Discord for no longer than a second. */
  impatient(): Promise<LinkedRoles>;
  /** A field's value at Discord; undefined if it has none. */
  value(field: string, user: User): string | undefined;
  /** An account's links. */
  linksOf(user: User): CallerLinks;
  /** Links a wallet to the account, as proving it does. */
  link(user: User, wallet: Wallet, linkedAt?: number): Promise<void>;
  /** A member goes through Discord's dialog. */
  connect(user: User, jar?: CookieJar): Promise<Visit>;
  /** Seconds pass, and all connected members are updated. */
  pass(seconds: number): Promise<void>;
  /** Minutes pass, up to an hour, until a condition holds. */
  passUntil(holds: () => boolean): Promise<void>;
}

/** Milliseconds. No test sits out the longer ones, but the machine may be busy. */
const QUICK = { tick: 20, patience: 25_000, timeout: 25_000 };
/** For tests that sit out Discord's silence. */
const IMPATIENT = { ...QUICK, timeout: 1_000 };

interface WorldOptions {
  /** A persistent file; in memory by default. */
  readonly file?: string;
  readonly changes?: Partial<LinkedRolesParts>;
}

/** A world for one test. The test fails if a request was invalid or a secret leaked. */
export async function rolesWorld({
  file = MEMORY,
  changes = {},
}: WorldOptions = {}): Promise<RolesWorld> {
  const time = { now: NOW * 1000 };
  const clock = () => time.now;
  const discord = new OAuthStandIn(clock);
  await discord.open();
  const source = new ScoreSource();
  const store =
    file === MEMORY
      ? openMemoryStore()
      : openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  const lines: { level: string; text: string }[] = [];
  const pages: string[] = [];
  const log = recordingLog(lines);
  const running: LinkedRoles[] = [];
  const wallets = createWalletParser(chains);
  let url = '';

  const start = (more: Partial<LinkedRolesParts>) => {
    const { token, clientSecret, apiUrl, authorizeUrl } = discord;
    const roles = createLinkedRoles({
      open: openLinkedRoles({
        rest: new BotRest({ token, apiUrl }),
        clientSecret,
        apiUrl,
        authorizeUrl,
      }),
      publicUrl: () => url,
      store,
      source,
      wallets,
      clientOf: () => 'client',
      log,
      clock,
      timings: QUICK,
      ...more,
    });
    running.push(roles);
    return roles;
  };
  const roles = start(changes);
  const api = await openApi({ register: (app) => roles.register(app) });
  url = api.url;
  discord.redirectUris = [`${url}/discord/linked-roles/callback`];
  discord.verificationUrl = `${url}/discord/linked-roles`;
  const linking = linkingWith({
    store: store.links,
    clock,
    onChange: (account) => roles.changed(account),
  });
  onTestFinished(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await api.close();
    await discord.close();
    await store.close();
    expect(discord.faults).toEqual([]);
    const told = [...pages, logged()].join('\n');
    for (const secret of [discord.token, discord.clientSecret, ...discord.grants.secrets]) {
      expect(told).not.toContain(secret);
    }
  });
  async function pass(seconds: number): Promise<void> {
    time.now += seconds * 1000;
    const due = await store.connections.due(time.now / 1000 - 600, Number.MAX_SAFE_INTEGER, 10_000);
    await eventually(async () => (await dueAmong(store, due, time.now)) === 0);
  }
  const logged = () => lines.map(({ text }) => text).join('\n');

  const world: RolesWorld = {
    discord,
    source,
    store,
    api,
    time,
    logged,
    said: () => lines.filter(({ level }) => level !== 'debug').map(({ text }) => text),
    roles,
    another: (more = {}) => start(more),
    async impatient() {
      await roles.stop();
      return start({ timings: IMPATIENT });
    },
    value(field, user) {
      const metadata = discord.known(user)?.metadata as Record<string, string> | undefined;
      return metadata?.[field];
    },
    linksOf: ({ id }) => linking.of({ platform: 'discord', id }),
    async link({ id }, wallet, linkedAt = time.now / 1000) {
      const account = { platform: 'discord', id } as const;
      // Only members who are visible to everyone have more than their tier at Discord.
      const choice = await store.links.choiceOf(account);
      const everybody = { privacy: 'public', communities: [] } as const;
      if (choice === undefined) await store.links.setChoice(account, everybody, linkedAt);
      const proof = { wallet, by: 'key', network: 'x', evidence: undefined, text: 'x' } as const;
      const link = { account, wallet, proof, linkedAt, checkedAt: linkedAt, strikes: 0 };
      await store.links.change(wallet, account, () => ({ link, events: [] }));
      roles.changed(account);
    },
    async connect(user, jar = new CookieJar()) {
      discord.user = user;
      const visit = await jar.visit(`${url}/discord/linked-roles`);
      pages.push(visit.body);
      return visit;
    },
    pass,
    async passUntil(holds) {
      for (let minutes = 0; minutes < 60 && !holds(); minutes += 1) await pass(61);
      await eventually(holds);
    },
  };
  return world;
}

/** How many of these are still due for an update. */
async function dueAmong(
  store: Store,
  due: readonly { readonly account: string }[],
  now: number,
): Promise<number> {
  const still = await store.connections.due(now / 1000 - 600, Number.MAX_SAFE_INTEGER, 10_000);
  const accounts = new Set(still.map(({ account }) => account));
  return due.filter(({ account }) => accounts.has(account)).length;
}

function recordingLog(lines: { level: string; text: string }[]): Logger {
  const add = (level: string) => (fields: object, message: string) => {
    lines.push({ level, text: `${message} ${inspect(fields, { depth: 6 })}` });
  };
  return { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') };
}
