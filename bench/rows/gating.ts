import { createGating } from '#app/members/gating';
import type { Gating } from '#gating/gating';
import { startDiscord } from '#platforms/discord/bot';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { createAnswerer } from '../answerer.ts';
import type { Bench } from '../context.ts';
import { ABOVE_EVERY, fillGuild, removeGuild } from '../gated-guild.ts';
import { pause } from '../process.ts';
import { say } from '../progress.ts';
import { count, type Row } from '../report.ts';
import { DiscordStandIn } from '../servers/discord/stand-in.ts';
import { GUILD } from '../servers/discord/world.ts';

/** Roles by tier in a large guild: what a pass over all members costs Discord, and us. */

const READ_LIMIT_SECONDS = 5;
/** Two calls per change, as each member is asked about right before it, plus one per thousand members listed. */
const CALLS_LIMIT = 2_500;

const log = { debug() {}, info() {}, warn: console.error, error: console.error };

export const gating: Bench = {
  name: 'gating',
  about: 'a round over all members of a guild whose roles go by tier',
  async run({ dir, quick }) {
    process.env.FATHOM_SPECS = '/nowhere';
    const members = quick ? 2_000 : 100_000;
    const standIn = new DiscordStandIn();
    await standIn.open();
    standIn.gateway.membersIntent = true;
    standIn.guild.people.crowd(members);
    const role = standIn.guild.addRole('Whales');
    const guild = { platform: 'discord', id: GUILD } as const;
    const accounts = Array.from({ length: members }, (_, i) => standIn.guild.people.idOf(i));
    say(`${count(members)} members with linked wallets`);
    const store = await fillGuild(dir, guild, accounts);
    const source = await store.openSource();
    let isAsked = false;
    const bot = startDiscord({
      token: standIn.token,
      apiUrl: standIn.apiUrl,
      answerer: createAnswerer(store, source, log),
      membersIntent: true,
      log,
    });
    try {
      while (!bot.status().ok) await pause(20);
      const { gating } = createGating({
        store: store.gating,
        source,
        wallets: createWalletParser(chains),
        thresholds: DEFAULT_THRESHOLDS,
        walletsOf: async () => [],
        adapterOf: () => (isAsked ? bot.communityAdapter : undefined),
        announcedAmong: async () => new Set(),
        revision: () => undefined,
        log,
      });
      isAsked = true;
      await addRule(gating, guild, role.id, `discord:${standIn.guild.owner.id}`);
      await store.gating.noteMembers(guild, accounts);
      isAsked = false;
      const began = performance.now();
      const { gains } = await gating.preview(guild);
      const reading = (performance.now() - began) / 1000;
      isAsked = true;
      const before = callsOf(standIn);
      say('a round that gives the role to one member in a hundred');
      const started = performance.now();
      await gating.sweep(guild);
      const seconds = (performance.now() - started) / 1000;
      const calls = callsOf(standIn) - before;
      const changes = Math.ceil(members / ABOVE_EVERY);
      return [readRow(members, gains.length, reading), callsRow(members, changes, calls, seconds)];
    } finally {
      await bot.stop();
      await standIn.close();
      await store.close();
      removeGuild(dir);
    }
  },
};

async function addRule(
  gating: Gating,
  guild: Parameters<Gating['add']>[0],
  grant: string,
  maker: string,
): Promise<void> {
  const { blockers } = await gating.add(
    guild,
    {
      grant,
      requirements: [{ kind: 'tier', tier: 'Whale' }],
      match: 'all',
      chain: undefined,
      exclusive: false,
      graceSeconds: 0,
    },
    maker,
  );
  if (blockers.length > 0) throw new Error(`the rule can't work: ${blockers.join(', ')}`);
}

function callsOf({ rest }: DiscordStandIn): number {
  return Object.values(rest.counts).reduce((sum, each) => sum + each, 0);
}

function readRow(members: number, found: number, seconds: number): Row {
  return {
    what: `Gating: ${count(members)} members judged`,
    fathom: `${seconds.toFixed(2)} s`,
    peer: '',
    limit: `< ${READ_LIMIT_SECONDS} s`,
    ratio: '',
    target: '',
    met: seconds < READ_LIMIT_SECONDS,
    note: `one rule and one linked wallet per member, read from the embedded store and judged in the serving process, without Discord; ${count(found)} would gain a role. A moderator who asks for a preview waits up to eight seconds longer, in which Discord is asked about those who would gain or lose something.`,
  };
}

function callsRow(members: number, changes: number, calls: number, seconds: number): Row {
  return {
    what: `Gating: Discord calls for ${count(changes)} changes among ${count(members)}`,
    fathom: count(calls),
    peer: '',
    limit: `≤ ${count(CALLS_LIMIT)}`,
    ratio: '',
    target: '',
    met: calls <= CALLS_LIMIT,
    note: `the real client against a stand-in for Discord, listing a thousand members per call (Server Members Intent); the round took ${seconds.toFixed(0)} s, at the 45 calls a second that Discord allows. Each member is asked about once more before they get the role, since a moderator may have given it meanwhile.`,
  };
}
