import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { clientName, trustProxies } from '#api/client-address';
import { commands } from '#commands/index';
import type { Answerer } from '#core/answerer';
import { encodeCall } from '#core/call-code';
import { wallSeconds } from '#core/clock';
import type { LinkPageService } from '#core/links/page-service';
import type { Logger } from '#core/logger';
import type { RateCounterMaker } from '#core/rate-window';
import { codeOf } from '#platforms/discord/components';
import { renderCard as renderForDiscord } from '#platforms/discord/render';
import { renderCard as renderForTelegram } from '#platforms/telegram/render/card';
import { createLinkPage } from '#web/link/link-page';
import { createPlayground, type PlaygroundOptions } from '#web/playground';
import type { LinkedRoles } from './linked-roles.ts';

export interface PagesOptions {
  readonly answerer: Answerer;
  readonly linking: LinkPageService;
  /** Where others reach this instance; undefined where that isn't known. */
  readonly publicUrl: string | undefined;
  /** Undefined: the page offers no WalletConnect. */
  readonly walletConnectProjectId: string | undefined;
  /** Whether the wallets are made up, which the pages then say. */
  readonly isDemo: boolean;
  readonly linkedRoles: Pick<LinkedRoles, 'register'> | undefined;
  /** By platform, where its bot is reached. */
  readonly invitations: () => Readonly<Record<string, string>>;
  readonly clientOf: (request: IncomingMessage) => string;
  /** Shared with other replicas; each process counts for itself when undefined. */
  readonly counters: RateCounterMaker | undefined;
  readonly log: Logger;
}

/** What stands for the client of a request in the counts of the pages. */
export function clientBehind(trustProxy: readonly string[]): PagesOptions['clientOf'] {
  const trust = trustProxies(trustProxy);
  return ({ socket, headers }) => {
    const forwardedFor = String(headers['x-forwarded-for'] ?? '');
    return clientName(trust.clientBehind(socket.remoteAddress ?? '0.0.0.0', forwardedFor));
  };
}

/** https://docs.reown.com/advanced/security/content-security-policy */
const RELAY = 'wss://relay.walletconnect.org';

/** Whoever has set no address works at the machine itself. */
const LOCAL = 'http://localhost';

/** Adds the pages that are served beside the API: playground, linking of wallets. */
export function addPages(app: FastifyInstance, options: PagesOptions): void {
  const { answerer, linking, linkedRoles, invitations, isDemo, publicUrl, log } = options;
  const projectId = options.walletConnectProjectId;
  const shared = { log, clientOf: options.clientOf, counters: options.counters };
  createPlayground({
    ...shared,
    answerer,
    invitations,
    render: chatRenderers(log),
    isDemo,
  })(app);
  createLinkPage({
    ...shared,
    service: linking,
    publicUrl: publicUrl ?? LOCAL,
    walletConnect: projectId === undefined ? undefined : { projectId, relayUrl: RELAY },
  })(app);
  linkedRoles?.register(app);
}

/** The chats' own renderers, so that the playground shows what they would. */
export function chatRenderers(log: Logger): PlaygroundOptions['render'] {
  return {
    discord: (card, caller) =>
      renderForDiscord(card, {
        commands,
        owner: caller,
        onBug: (err) => log.error({ err }, 'a bug: a button was left out'),
      }),
    telegram(card, caller, language) {
      const reader = { language, now: wallSeconds() };
      const { text, entities, keyboard } = renderForTelegram(card, reader, (call) => {
        const command = commands.find((each) => each.name === call.command);
        return command === undefined ? undefined : encodeCall(call, command, caller);
      });
      return { text, entities, ...(keyboard && { reply_markup: keyboard }) };
    },
    codeOf,
  };
}
