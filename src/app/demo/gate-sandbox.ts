import { hash } from 'node:crypto';
import { type CommunityGating, createBoards, createGating } from '#app/members/gating';
import { createWalletLinking } from '#app/members/linking';
import { type Logger, wallMs, wallSeconds } from '#base';
import type { Call, Caller, Card } from '#command';
import { commands } from '#commands';
import { Answerer } from '#commands/answering';
import type { Sandbox } from '#http/pages';
import { activityId } from '#import';
import type { ReputationSource, TierThresholds } from '#reputation';
import { openStore, type Store } from '#storage';
import { createWalletParser, type Wallet } from '#wallet';
import { chains } from '#wallet/chains';
import {
  CHANNELS,
  MadeUpServer,
  MEMBER,
  MEMBERS,
  MODERATOR,
  PLATFORM,
  ROLES,
  SERVER,
  withNames,
} from './made-up-server.ts';

/** How many servers to keep, one per page; a visitor who comes back later gets a new one. */
const MOST = 32;
/** Seconds. */
const HOUR = 3_600;
/** Rules on a new server, so that a preview shows something. */
const FIRST_RULES = [
  { role: 'Titans', tier: 'titan' },
  { role: 'Whales', tier: 'whale' },
  { role: 'Sharks', tier: 'shark' },
];

export interface GateSandboxOptions {
  readonly thresholds: TierThresholds;
  readonly log: Logger;
}

/** One page's server: the real rules, runs and previews, on a made-up platform. */
interface Server {
  readonly answerer: Answerer;
  readonly gating: CommunityGating;
  readonly store: Store;
  readonly adapter: MadeUpServer;
}

/**
 * Lets anyone try `/gate`, `/access` and `/top here` in the playground, on a made-up server with made-up members
 * and wallets.
 * Everything is in memory, apart from the service's own data, and nothing runs between two
 * commands.
 */
export class GateSandbox implements Sandbox {
  readonly commands = ['gate', 'access'];
  readonly #options: GateSandboxOptions;
  readonly #wallets = createWalletParser(chains);
  /** By page, least recently used first. */
  readonly #servers = new Map<string, Promise<Server>>();
  #data: Promise<{ readonly store: Store; readonly source: ReputationSource }> | undefined;

  constructor(options: GateSandboxOptions) {
    this.#options = options;
  }

  answers({ command, args }: Call): boolean {
    return this.commands.includes(command) || (command === 'top' && args.board !== undefined);
  }

  names(kind: 'role' | 'member' | 'channel'): readonly string[] {
    return namedOf(kind).map(({ name }) => (kind === 'channel' ? `#${name}` : `@${name}`));
  }

  async answer(call: Call, page: Caller, locale: string): Promise<Card> {
    const server = await this.#serverOf(page.id);
    const card = await server.answerer.answer({
      call: withIds(call),
      caller: { platform: PLATFORM.id, id: askerOf(call), community: SERVER },
      locale,
      isModerator: () => true,
    });
    return withNames(card);
  }

  async posted(page: Caller): Promise<Card | undefined> {
    const { adapter } = await this.#serverOf(page.id);
    const card = adapter.takePosted();
    return card && withNames(card);
  }

  async close(): Promise<void> {
    const servers = [...this.#servers.values()];
    this.#servers.clear();
    await Promise.allSettled(servers.map(end));
    await this.#data?.then(({ store }) => store.close());
    this.#data = undefined;
  }

  #serverOf(page: string): Promise<Server> {
    const server = this.#servers.get(page) ?? this.#open();
    // Reinserted, so that the first one is always the least recently used.
    this.#servers.delete(page);
    this.#servers.set(page, server);
    server.catch(() => this.#servers.delete(page));
    const [oldest] = this.#servers;
    if (this.#servers.size > MOST && oldest !== undefined) {
      this.#servers.delete(oldest[0]);
      end(oldest[1]).catch((error) =>
        this.#options.log.debug({ err: error }, 'could not end a playground server'),
      );
    }
    return server;
  }

  async #open(): Promise<Server> {
    const { thresholds, log } = this.#options;
    this.#data ??= this.#madeUpData();
    const { source } = await this.#data;
    const store = await openStore('sqlite::memory:', { thresholds, log });
    const adapter = new MadeUpServer();
    const gating = createGating({
      store: store.gating,
      source,
      wallets: this.#wallets,
      thresholds,
      walletsOf: async ({ id }) => this.#walletsOf(id),
      announcedAmong: async (_, accounts) => new Set(accounts),
      adapterOf: () => adapter,
      revision: () => undefined,
      log,
    });
    const linking = createWalletLinking({
      config: { ethereumRpcUrl: undefined, algorandIndexerUrl: undefined },
      store: store.links,
      wallets: this.#wallets,
      platforms: [PLATFORM],
      publicUrl: () => '',
      log,
    });
    const answerer = new Answerer({
      commands,
      source,
      wallets: this.#wallets,
      thresholds,
      keysOf: () => ({ issue: noKeys, list: noKeys, revoke: noKeys }),
      linksOf: (caller) => linking.of(caller),
      gating: gating.gating,
      boards: createBoards({
        store: store.gating,
        adapterOf: () => adapter,
        shownAmong: (...asked) => linking.shownAmong(...asked),
      }),
      platforms: [PLATFORM],
      log,
      clock: wallMs,
    });
    await this.#settle(store);
    const server = { answerer, gating, store, adapter };
    const caller = { platform: PLATFORM.id, id: MODERATOR, community: SERVER };
    for (const { role, tier } of FIRST_RULES) {
      const call = withIds({ command: 'gate', args: { action: 'add', role, tier } });
      await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
    }
    await this.#givePast(store);
    return server;
  }

  /** Adds the members, with their linked wallets. */
  async #settle({ links, gating }: Store): Promise<void> {
    const at = wallSeconds();
    for (const { id, isHidden } of MEMBERS) {
      const account = { platform: PLATFORM.id, id };
      if (isHidden !== true) {
        await links.setChoice(account, { privacy: 'community', communities: [SERVER] }, at);
      }
      for (const wallet of this.#walletsOf(id)) {
        const proof = {
          wallet,
          by: 'key',
          network: 'eip155:1',
          evidence: undefined,
          text: '',
        } as const;
        const link = { account, wallet, proof, linkedAt: at, checkedAt: at, strikes: 0 };
        await links.change(wallet, account, () => ({ link, events: [] }));
      }
    }
    const community = { platform: PLATFORM.id, id: SERVER };
    await gating.noteMembers(
      community,
      MEMBERS.map(({ id }) => id),
    );
  }

  /** Adds older rules one after the other, with members who got their role and fell since. */
  async #givePast({ gating }: Store): Promise<void> {
    const community = { platform: PLATFORM.id, id: SERVER };
    const now = wallSeconds();
    for (const rule of await gating.rulesOf(community)) {
      const { id, grant, graceSeconds } = rule;
      const place = ROLES.findIndex((role) => role.id === grant);
      await gating.putRule({ ...rule, createdAt: rule.createdAt - ROLES.length + place });
      const grants = MEMBERS.flatMap(({ id: account, fallen }) => {
        if (fallen?.role !== grant) return [];
        const warnedAt = now - fallen.toldHoursAgo * HOUR;
        const lastLackAt = Math.max(warnedAt, now - HOUR);
        const lacks = { lacks: 3, firstLackAt: warnedAt - HOUR, lastLackAt };
        const grace = { warnedAt, dueAt: warnedAt + graceSeconds };
        return [{ rule: id, account, ownership: 'ours' as const, ...lacks, ...grace }];
      });
      await gating.putGrants(community, grants);
    }
  }

  async #madeUpData(): Promise<{ readonly store: Store; readonly source: ReputationSource }> {
    const { thresholds, log } = this.#options;
    const store = await openStore('sqlite::memory:', { thresholds, log });
    const writer = store.openWriter();
    const users = MEMBERS.filter((member) => member.tier !== undefined);
    await writer.stage({
      badges: [],
      names: users.map(({ id, name }) => ({
        wallet: this.#walletsOf(id)[0] as Wallet,
        displayName: name,
      })),
      activities: users.flatMap(({ id, tier, above, second }) => {
        const from = tier === undefined || tier === 'shrimp' ? 0 : thresholds[tier];
        return this.#walletsOf(id).map((wallet, i) => {
          const activity = {
            wallet,
            type: 'governance_vote',
            description: 'Voted on a proposal',
            points: i === 0 ? from + above : (second ?? 0),
            timestamp: wallSeconds() - 86_400,
            badge: undefined,
            source: `sandbox:${id}`,
          };
          return { ...activity, id: activityId(activity, (text) => hash('sha256', text)) };
        });
      }),
    });
    await writer.commit();
    return { store, source: await store.openSource() };
  }

  /** Addresses nobody has the keys to; none for members without a wallet. */
  #walletsOf(account: string): readonly Wallet[] {
    const member = MEMBERS.find(({ id }) => id === account);
    if (member?.tier === undefined) return [];
    const names = member.second === undefined ? [account] : [account, `${account}, the second`];
    return names.map((name) => {
      const digits = hash('sha256', `a member of Fathom's playground: ${name}`).slice(0, 40);
      return this.#wallets.parse(`0x${digits}`);
    });
  }
}

/** Moderators' commands are the visitor's; what members ask for themselves is shown of one who has wallets. */
function askerOf({ command }: Call): string {
  return command === 'gate' ? MODERATOR : MEMBER;
}

/** No command that runs here needs them. */
function noKeys(): never {
  throw new Error('bug: the playground asked for API keys');
}

async function end(opened: Promise<Server>): Promise<void> {
  const { gating, store } = await opened;
  await gating.stop();
  await store.close();
}

function namedOf(kind: string): readonly { readonly id: string; readonly name: string }[] {
  if (kind === 'role') return ROLES;
  if (kind === 'channel') return CHANNELS;
  return kind === 'member' ? MEMBERS : [];
}

/** `@Whales` → its id, as the platforms' own options would give it. */
function withIds({ command, args }: Call): Call {
  const options = commands.find(({ name }) => name === command)?.options;
  const given = Object.entries(args).map(([option, value]) => {
    const asked = value.replace(/^[@#]/, '').toLowerCase();
    const kind = options?.find(({ name }) => name === option)?.kind ?? '';
    const found = namedOf(kind).find(({ name }) => name.toLowerCase() === asked);
    return [option, found?.id ?? value];
  });
  return { command, args: Object.fromEntries(given) };
}
