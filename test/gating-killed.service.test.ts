import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noGrant } from '#gating/decide/grant';
import type { Community } from '#gating/rules/rule';
import type { LedgerActivity } from '#reputation/activity';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { MAY } from '../bench/servers/discord/guild.ts';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { GUILD, type User } from '../bench/servers/discord/world.ts';
import { type Cluster, startCluster } from '../bench/servers/postgres/cluster.ts';
import { textOf } from './support/discord/read.ts';
import { ruleOf } from './support/gate-records.ts';
import { walletOf } from './support/import-lines.ts';

import { silentLog } from './support/log.ts';
import { patienceMs } from './support/patience.ts';
import { createMigratedDatabase } from './support/postgres/migrated.ts';
import { type Service, startService } from './support/service.ts';

/*
 * The program itself, killed with -9 in the middle of a granting run, an undo and a removing run, each time
 * right after Discord has carried out a request and before it could respond.
 */

const COMMUNITY: Community = { platform: 'discord', id: GUILD };
const HOUR = 3_600;
const TIMEOUT = { timeout: patienceMs(60_000), interval: 50 };

let cluster: Cluster;
let folder: string;
let url: string;
let store: Store;
let discord: DiscordStandIn;
let service: Service;
let role: string;
let members: User[];
/** What Discord has done, in the audit log's words. */
let done: string[];
/** How many changes until the process is killed. */
let killIn: number;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  discord = new DiscordStandIn();
  await discord.open();
  const { guild } = discord;
  role = guild.addRole('Whales').id;
  members = Array.from({ length: 5 }, (_, i) => guild.addMember(`member ${i}`));
  done = [];
  killIn = Number.POSITIVE_INFINITY;
  const change = guild.change.bind(guild);
  guild.change = (step, account, ...rest) => {
    const reply = change(step, account, ...rest);
    if (reply.status === 204) done.push(`${step === 'give' ? 'given' : 'taken'} ${account}`);
    killIn -= 1;
    if (killIn === 0) service.child.kill('SIGKILL');
    return reply;
  };
});
afterEach(async () => {
  await service.stop();
  await store.close();
  await discord.close();
  rmSync(folder, { recursive: true, force: true });
  expect(discord.faults).toEqual([]);
});

/** Five members with a linked wallet above the threshold, and a rule. */
async function fill(): Promise<void> {
  store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  const activities = members.map((_, i): LedgerActivity => {
    const about = { type: 'vote', description: 'Voted', points: 6_000, badge: undefined };
    return { id: `vote-${i}`, wallet: walletOf(i + 1), timestamp: 1_700_000_000, ...about };
  });
  const writer = store.openWriter();
  await writer.stage({ badges: [], names: [], activities });
  await writer.commit();
  await writer.finish();
  for (const [i, { id }] of members.entries()) {
    const wallet = walletOf(i + 1);
    const account = { platform: 'discord', id } as const;
    const by = { by: 'key', network: 'eip155:1', evidence: undefined, text: '' } as const;
    const link = {
      account,
      wallet,
      proof: { wallet, ...by },
      linkedAt: 1,
      checkedAt: 1,
      strikes: 0,
    };
    await store.links.change(wallet, account, () => ({ link, events: [] }));
  }
  const { id: maker } = discord.guild.owner;
  const rule = { community: COMMUNITY, grant: role, createdBy: `discord:${maker}` };
  // Nothing happens before someone runs it.
  await store.gating.putRule(ruleOf('aaaa', { ...rule, paused: 'moderator', createdAt: 1 }));
  await store.gating.noteMembers(
    COMMUNITY,
    members.map(({ id }) => id),
  );
}

async function start(mode: 'gateway' | 'http'): Promise<void> {
  service = await startService({
    DATABASE_URL: url,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_MODE: mode,
    ...(mode === 'http' && { DISCORD_PUBLIC_KEY: discord.delivery.publicKey }),
  });
  discord.delivery.urls = mode === 'http' ? [`${service.url}/discord/interactions`] : [];
  const isUp = async () => {
    const text = await (await fetch(`${service.url}/readyz`)).text();
    return text.match(/"ok":true/g)?.length === 2;
  };
  await expect.poll(isUp, TIMEOUT).toBe(true);
}

/** A moderator requests something during which the process is killed; then it's restarted. */
async function killedIn(mode: 'gateway' | 'http', command: string, args = {}): Promise<void> {
  killIn = 3;
  const ended = once(service.child, 'exit');
  discord.command(command, args, {
    by: discord.guild.owner,
    place: 'server',
    may: MAY.manageGuild,
  });
  await ended;
  killIn = Number.POSITIVE_INFINITY;
  await start(mode);
}

const holders = () =>
  members.filter(({ id }) => discord.guild.people.rolesOf(id).includes(role)).length;

/** The audit log has each change once, and nothing else. */
async function auditIsTrue(): Promise<void> {
  expect(await store.gating.openRuns()).toEqual([]);
  expect(await store.gating.unsettledOf(COMMUNITY, undefined)).toEqual([]);
  const rows = await store.gating.auditOf(COMMUNITY, undefined, 1_000, 0);
  const told = rows
    .filter(({ event }) => event === 'given' || event === 'taken')
    .map(({ event, account }) => `${event} ${account}`);
  expect(told.toSorted()).toEqual(done.toSorted());
}

async function settled(count: number): Promise<void> {
  await expect.poll(holders, TIMEOUT).toBe(count);
  const open = async () => (await store.gating.openRuns()).length;
  await expect.poll(open, TIMEOUT).toBe(0);
  await auditIsTrue();
}

// Each transport and each database once: what resumes after a kill doesn't know the transport.
describe('with interactions by', () => {
  it.each([
    ['gateway', 'SQLite'],
    ['http', 'Postgres'],
  ] as const)('%s and %s, nothing is lost or done twice', async (mode, database) => {
    url =
      database === 'SQLite'
        ? `sqlite:${join(folder, 'f.db')}`
        : await createMigratedDatabase(cluster);
    discord.rest.application = {
      ...discord.rest.application,
      verify_key: discord.delivery.publicKey,
    };
    await fill();
    await start(mode);
    await store.gating.pauseRule(COMMUNITY, 'aaaa', undefined);
    await killedIn(mode, 'gate run');
    await settled(5);

    // Where the service is slow to be up again, a later run gives what this one couldn't judge then.
    const run = (await store.gating.runsOf(COMMUNITY, 5)).find(
      ({ cause }) => cause === 'moderator',
    );
    await killedIn(mode, 'gate undo', { rule: run?.id ?? '' });
    await settled(5 - (run?.counts.given ?? 0));
    // That comes after the end of the undo.
    const status = async () => (await store.gating.run(run?.id ?? ''))?.status;
    await expect.poll(status, TIMEOUT).toBe('undone');

    // They have it again, and fall for long enough while their rule is paused.
    const asked = discord.command(
      'gate resume',
      { rule: 'aaaa' },
      { by: discord.guild.owner, place: 'server', may: MAY.manageGuild },
    );
    await expect.poll(() => textOf(asked.seen[0]), TIMEOUT).toContain('resumed');
    discord.command(
      'gate run',
      {},
      { by: discord.guild.owner, place: 'server', may: MAY.manageGuild },
    );
    await settled(5);
    await store.gating.changeRule(COMMUNITY, 'aaaa', (rule) => ({
      ...rule,
      requirements: [{ kind: 'tier', tier: 'Titan' }],
    }));
    const now = Math.floor(Date.now() / 1000);
    await store.gating.putGrants(
      COMMUNITY,
      members.map(({ id }) => ({
        ...noGrant('aaaa', id),
        ownership: 'ours',
        lacks: 3,
        firstLackAt: now - 30 * HOUR,
        lastLackAt: now - HOUR,
        warnedAt: now - 28 * HOUR,
        dueAt: now - 4 * HOUR,
      })),
    );
    await killedIn(mode, 'gate run');
    await settled(0);
  });
});
