import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Logger, type RateCounterMaker, sanitizeText, UserError, wallMs } from '#base';
import { accountKey, type Profile, WEB } from '#command';
import { sentenceFor, textsFor } from '#command/texts';
import { createDocument, readerWords } from '#http/pages/document';
import { addEndpoint, answerErrors, type Endpoint } from '#http/pages/endpoint';
import { createLimit } from '#http/pages/guard';
import { addAssets, secretAssets } from '#http/pages/static';
import { type LinkPageService, mayBeKeys, type PageProof } from '#linking';
import type { Platform } from '#platforms';
import { addNotFoundPage, renderLinkPage, type WalletConnectSettings } from './page.ts';
import {
  addHandover,
  encodedSubmission,
  LINK_PATH,
  readAddress,
  readHandedIn,
  readLooking,
  readOpening,
  sessionCookie,
} from './request.ts';

export interface LinkPageOptions {
  readonly service: LinkPageService;
  /** The public URL, without `/link`. */
  readonly publicUrl: string;
  /** The platforms that accounts may be on. */
  readonly platforms: readonly AccountPlatform[];
  readonly log: Logger;
  /** The key under which a client's requests are counted; its address by default. */
  readonly clientOf?: (request: IncomingMessage) => string;
  /** Shared counters; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  /** Enables WalletConnect. */
  readonly walletConnect?: WalletConnectSettings | undefined;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
  /** See `linkLimits`. */
  readonly requestsAMinute?: number;
}

const REQUESTS_A_MINUTE = 30;
/** How many seconds a proof, or a signature waiting for its check, may outlive its request. */
const EXTENDED = 1_500;
/** Bytes. */
const BODY_MAX = 2 * 1024;
const PROOF_MAX = 20 * 1024;
const HEADERS = {
  // Some wallets sign in a popup, which must be able to reply to the page.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), hid=(), serial=()',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
};

/** The page's assets, by their path below the page's own. */
const ASSETS = new Map([
  ...secretAssets(LINK_PATH),
  ...[
    'link/app.js',
    'link/apps.js',
    'link/algorand.js',
    'link/arc27.js',
    'link/checking.js',
    'link/checking-again.js',
    'link/ethereum.js',
    'link/kept.js',
    'link/request.js',
    'link/service.js',
    'link/signing.js',
    'link/standard.js',
    'link/steps.js',
    'link/task.js',
    'link/typed.js',
    'link/walletconnect.js',
    'link/wallets.js',
    'link/watching.js',
    'link/link.css',
    'base.css',
    'icon.svg',
  ].map((path): [string, string | URL] => [`${LINK_PATH}/${path.replace('link/', '')}`, path]),
]).set(`${LINK_PATH}/qr.js`, new URL(import.meta.resolve('qr')));

/** WalletConnect's library: one file, as built for browsers by its makers. */
function walletConnectAssets(): Map<string, URL> {
  const bundle = import.meta.resolve('@walletconnect/sign-client/dist/index.umd.js');
  return new Map([[`${LINK_PATH}/sign-client.js`, new URL(bundle)]]);
}

/**
 * The page at `/link`, where members link wallets by proof. Reading it changes nothing: everything with an
 * effect is a POST by its script.
 * @returns a function that adds it to a server
 */
export function createLinkPage(options: LinkPageOptions): (app: FastifyInstance) => void {
  const { service, publicUrl, log, counters, walletConnect, clock } = options;
  const clientOf = options.clientOf ?? ((request) => request.socket.remoteAddress ?? '');
  const most = options.requestsAMinute ?? REQUESTS_A_MINUTE;
  const cookie = sessionCookie(publicUrl.startsWith('https:'));
  const limits = linkLimits({ most, clientOf, clock, counters, sessionOf: cookie.read });
  const page = createDocument({
    render: (words) => renderLinkPage(words, walletConnect),
    formAction: "'none'",
    headers: HEADERS,
    origins: {
      images: avatarOrigins(options.platforms),
      connections: walletConnect === undefined ? [] : [new URL(walletConnect.relayUrl).origin],
    },
  });
  /** Relative times, because the reader's clock may be wrong. */
  const secondsTo = (time: number) => Math.max(0, time - Math.floor((clock ?? wallMs)() / 1000));
  const proofAnswer = ({ wallet, code, expiresAt }: PageProof) => ({
    wallet,
    code,
    expiresIn: secondsTo(expiresAt),
  });

  return (app) => {
    app.register(async (scope) => {
      answerErrors(scope, log, proofSentence);
      scope.route({ method: ['GET', 'HEAD'], url: LINK_PATH, handler: page });
      addAssets(scope, ASSETS);
      if (walletConnect !== undefined) addAssets(scope, walletConnectAssets());
      addHandover(scope);
      addNotFoundPage(scope);
      addEndpoint(scope, {
        url: `${LINK_PATH}/look`,
        bodyLimit: BODY_MAX,
        ...limits,
        read: readLooking,
        async answer({ ticket, opener }, request) {
          const seen = await service.look(ticket, cookie.read(request), opener);
          const { account, expiresAt, proof, uncheckedUntil, awaits } = seen;
          return {
            account: shownAccount(account, options.platforms),
            // Part of the text to sign, where the page looks for it.
            owner: accountKey(account),
            expiresIn: secondsTo(expiresAt),
            proof: proof && proofAnswer(proof),
            uncheckedFor: uncheckedUntil && Math.max(1, secondsTo(uncheckedUntil)),
            awaits,
          };
        },
      });
      addEndpoint(scope, {
        url: `${LINK_PATH}/open`,
        bodyLimit: BODY_MAX,
        ...limits,
        read: readOpening,
        async answer({ ticket, opener }, request, reply) {
          const { session, expiresAt } = await service.open(ticket, cookie.read(request), opener);
          cookie.write(reply, session, secondsTo(expiresAt) + EXTENDED);
          return { expiresIn: secondsTo(expiresAt) };
        },
      });
      addEndpoint(scope, {
        url: `${LINK_PATH}/challenge`,
        bodyLimit: BODY_MAX,
        ...limits,
        read: readAddress,
        async answer({ address }, request, reply) {
          const session = required(cookie.read(request));
          const made = await service.challenge(session, address);
          const { wallet, text, signIn, transaction, arc60, expiresAt } = made;
          const { caveats, forSeveral } = textsFor(readerWords(request).language).link;
          const caveat = made.isForSeveral ? forSeveral : made.caveat && caveats[made.caveat];
          const expiresIn = secondsTo(expiresAt);
          if (made.isForSeveral) cookie.write(reply, session, expiresIn + EXTENDED);
          return { wallet, text, signIn, transaction, arc60, caveat, expiresIn };
        },
      });
      addEndpoint(scope, {
        url: `${LINK_PATH}/proof`,
        bodyLimit: PROOF_MAX,
        ...limits,
        read: readHandedIn,
        async answer({ submission, nonce }, request) {
          const session = required(cookie.read(request));
          const proof = await service.prove(session, encodedSubmission(submission), nonce);
          return proofAnswer(proof);
        },
      });
    });
  };
}

/** Why a proof was rejected; the page has no text of its own for it. */
function proofSentence(error: UserError, request: FastifyRequest): string | undefined {
  const { proofErrors, link } = textsFor(readerWords(request).language);
  const sentence = sentenceFor(proofErrors, error);
  const { signature } = Object(request.body) as { readonly signature?: unknown };
  const isUnsure = sentence !== undefined && typeof signature === 'string' && mayBeKeys(signature);
  return isUnsure ? `${sentence} ${link.mayBeKeys}` : sentence;
}

/** The cookie lives at least as long as its request. */
function required(session: string | undefined): string {
  if (session !== undefined) return session;
  throw new UserError('link-expired', 'This link has expired. Type /link for a new one.');
}

interface LinkLimitOptions {
  /** Requests per minute of one link, and of one client whose requests name no valid link. */
  readonly most: number;
  readonly clientOf: (request: IncomingMessage) => string;
  /** For tests; see `createLimit`. */
  readonly clock: (() => number) | undefined;
  readonly counters: RateCounterMaker | undefined;
  /** The link in the cookie. */
  readonly sessionOf: (request: FastifyRequest) => string | undefined;
}

/**
 * The rate limits of the page's endpoints. A whole community may share an address, so requests with a valid
 * link count by link only. Requests without one count by address, and beyond a flood they're rejected unread.
 */
function linkLimits({
  most,
  clientOf,
  clock,
  counters,
  sessionOf,
}: LinkLimitOptions): Required<Pick<Endpoint<object>, 'limit' | 'limitAsked' | 'limitFaults'>> {
  const byLink = createLimit({ name: 'link-page-link', most, clock, counters });
  const byAddress = createLimit({ name: 'link-page', most, clock, counters });
  return {
    limit: (request, reply) => byAddress.refuseFlood(clientOf(request.raw), request, reply),
    limitAsked(asked, request, reply) {
      const { ticket } = asked as { readonly ticket?: string };
      const link = ticket ?? sessionOf(request);
      // Both are secrets, and the counters may be stored elsewhere.
      return link === undefined ? false : byLink.count(hash('sha256', link), request, reply);
    },
    limitFaults(error, request, reply) {
      const isUnknown = error instanceof UserError && error.code === 'link-expired';
      if (error !== undefined && !isUnknown) return false;
      return byAddress.count(clientOf(request.raw), request, reply);
    },
  };
}

/** Graphemes of a name to show. */
const NAME_MAX = 64;

type AccountPlatform = Pick<Platform, 'id' | 'label' | 'avatarOrigin' | 'codeEntry'>;

/** For the page's Content-Security-Policy. */
function avatarOrigins(platforms: readonly AccountPlatform[]): string[] {
  return platforms.flatMap(({ avatarOrigin }) => avatarOrigin ?? []);
}

/** An account with its texts sanitized; empty if there is none. */
function shownAccount(
  { platform, id, name = '', username = '', avatar }: Profile,
  platforms: readonly AccountPlatform[],
) {
  const isAllowed = avatarOrigins(platforms).some((origin) => avatar?.startsWith(`${origin}/`));
  const found = platforms.find((each) => each.id === platform);
  return {
    platform: platform === WEB ? 'Web' : (found?.label ?? ''),
    codeEntry: platform === WEB ? 'page' : (found?.codeEntry ?? 'message'),
    id,
    name: sanitizeText(name, NAME_MAX),
    username: sanitizeText(username, NAME_MAX),
    avatar: isAllowed ? avatar : undefined,
  };
}
