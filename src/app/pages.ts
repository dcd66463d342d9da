import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Logger, RateCounterMaker } from '#base';
import { commands } from '#commands';
import type { Answerer } from '#commands/answering';
import { clientName, trustProxies } from '#http/api';
import {
  type ChatPreview,
  createLinkPage,
  createPlayground,
  createPublicPages,
  type Sandbox,
} from '#http/pages';
import type { LinkPageService } from '#linking';
import { type VerifiedNames, withVerifiedNames } from '#names';
import { creatureSvg } from '#pictures';
import type { Platform } from '#platforms';
import {
  ExplorerLinks,
  type Explorers,
  type ReputationSource,
  type TierThresholds,
} from '#reputation';
import type { WalletParser } from '#wallet';
import type { Invitation } from './chats/chats.ts';
import type { LinkedRoles } from './members/linked-roles.ts';

export interface PagesOptions {
  readonly answerer: Answerer;
  readonly source: ReputationSource;
  readonly names: VerifiedNames;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  /** Replaces the built-in ones. */
  readonly explorers: Explorers | undefined;
  /** See `previewsOf`. */
  readonly previews: readonly ChatPreview[];
  readonly platforms: readonly Platform[];
  readonly linking: LinkPageService;
  /** Public URL of this instance; undefined if unknown. */
  readonly publicUrl: string | undefined;
  /** The public URL, or the one that works on this machine. */
  readonly reachableUrl: () => string;
  /** Undefined: no WalletConnect on the page. */
  readonly walletConnectProjectId: string | undefined;
  /** Whether the wallets are made up; the pages say so. */
  readonly isDemo: boolean;
  readonly linkedRoles: Pick<LinkedRoles, 'register'> | undefined;
  /** The sandbox for moderators' commands. */
  readonly sandbox: Sandbox;
  /** URLs of the connected bots. */
  readonly invitations: () => readonly Invitation[];
  readonly clientOf: (request: IncomingMessage) => string;
  /** Counters shared with other replicas; if undefined, each process counts on its own. */
  readonly counters: RateCounterMaker | undefined;
  readonly log: Logger;
}

/** The key under which a client's requests are counted. */
export function clientBehind(trustProxy: readonly string[]): PagesOptions['clientOf'] {
  const trust = trustProxies(trustProxy);
  return ({ socket, headers }) => {
    const forwardedFor = String(headers['x-forwarded-for'] ?? '');
    return clientName(trust.clientBehind(socket.remoteAddress ?? '0.0.0.0', forwardedFor));
  };
}

/** https://docs.reown.com/advanced/security/content-security-policy */
const RELAY = 'wss://relay.walletconnect.org';

/** Without a public URL, users are on this machine. */
const LOCAL = 'http://localhost';

/** Registers the pages beside the API: the playground, public pages and the link page. */
export function addPages(app: FastifyInstance, options: PagesOptions): void {
  const { answerer, linking, linkedRoles, invitations, isDemo, publicUrl, log } = options;
  const projectId = options.walletConnectProjectId;
  const shared = { log, clientOf: options.clientOf, counters: options.counters };
  const { previews, sandbox } = options;
  createPlayground({ ...shared, answerer, previews, sandbox, invitations, isDemo })(app);
  const { names, wallets, thresholds, reachableUrl } = options;
  createPublicPages({
    ...shared,
    ...{ names, wallets, thresholds, invitations, isDemo },
    source: withVerifiedNames(options.source, names),
    explorers: new ExplorerLinks(options.explorers),
    creatureOf: creatureSvg,
    // An upstream only has its wallets' badges, not the definitions.
    hasBadgePictures: options.source.badgeWithId !== undefined,
    publicUrl: reachableUrl,
  })(app);
  createLinkPage({
    ...shared,
    service: linking,
    publicUrl: publicUrl ?? LOCAL,
    platforms: options.platforms,
    walletConnect: projectId === undefined ? undefined : { projectId, relayUrl: RELAY },
  })(app);
  linkedRoles?.register(app);
}

/** The platforms' own renderers, so the playground shows what they would. */
export async function previewsOf(
  platforms: readonly Platform[],
  log: Logger,
): Promise<readonly ChatPreview[]> {
  const loaded = platforms.map(async ({ id, label, loadPreview }) => {
    const preview = await loadPreview?.();
    if (preview === undefined) return [];
    const { render, codeOf } = preview;
    const shown: ChatPreview['render'] = (card, caller, language, picture) =>
      render(card, { caller, language, commands, picture, log });
    return [{ id, label, render: shown, codeOf }];
  });
  return (await Promise.all(loaded)).flat();
}
