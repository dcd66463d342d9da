import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, monotonicMs, type RateCounterMaker, RetryableError, UserError } from '#base';
import { answerErrors } from '#http/pages/endpoint';
import { limitedTo } from '#http/pages/guard';
import { CARD_FORMATS, type CardSettings, type Pictures, readRankCard } from '#pictures/shown';
import type { ReputationSource } from '#reputation';
import type { WalletParser } from '#wallet';
import { CardCache } from './card-cache.ts';
import { readLook, refuseParameters } from './look.ts';
import { sendPicture } from './send-picture.ts';

/** Pictures that may be drawn per client and minute; cached ones don't count. */
const NEW_A_MINUTE = 120;
/** Cards that may be read per client and minute, whether the response is a picture or a 304. */
const READ_A_MINUTE = 300;

export interface PictureRouteOptions {
  readonly pictures: Pictures;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly settings: CardSettings;
  /** The key under which a client is counted. */
  readonly clientOf: (request: IncomingMessage) => string;
  /** Shared counters; by default only this process counts. */
  readonly counters?: RateCounterMaker | undefined;
  readonly log: Logger;
  /** For tests: replaces the monotonic clock; milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/**
 * The pictures at `/card` and `/badge-picture`.
 * @returns a function that adds them to a server
 */
export function createPictureRoutes(options: PictureRouteOptions): (app: FastifyInstance) => void {
  const { pictures, source, wallets, settings, clientOf, counters, log } = options;
  const { clock = monotonicMs } = options;
  const limits = { clientOf, counters, clock };
  const limitNew = limitedTo({ name: 'cards', most: NEW_A_MINUTE, ...limits });
  const limitRead = limitedTo({ name: 'cards-read', most: READ_A_MINUTE, ...limits });
  const kept = new CardCache(clock);

  async function sendCard(
    request: FastifyRequest,
    reply: FastifyReply,
    file: string,
  ): Promise<FastifyReply | undefined> {
    const format = CARD_FORMATS.find((each) => file.endsWith(`.${each}`));
    if (format === undefined) {
      reply.callNotFound();
      return undefined;
    }
    // Without `lang`, the language is the browser's, also for errors.
    reply.header('Vary', 'Accept-Language');
    const text = file.slice(0, -format.length - 1);
    const wallet = source.recognise(text) ?? wallets.parse(text);
    const look = readLook(request);
    const reading = source.reading('visitor');
    let running = kept.get(wallet, reading);
    if (running === undefined) {
      // Reading the wallet costs more than refusing it.
      if (pictures.isFull) {
        throw new RetryableError('Too many pictures are being drawn.', { retryAfter: 2 });
      }
      if (await limitRead(request, reply)) return reply;
      // Another request may have started to read it while the client was counted.
      running =
        kept.get(wallet, reading) ??
        kept.keep(wallet, reading, () => readRankCard(reading, wallet, settings));
    }
    const card = await running;
    if (card === undefined) {
      const detail = 'This address is valid, but the wallet has no activity here.';
      throw new UserError('wallet-not-found', detail);
    }
    const picture = await pictures.card({ card, look, format });
    return sendPicture(request, reply, picture, format, limitNew);
  }

  async function sendBadge(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const { id, version } = request.params as { id: string; version?: string };
    const badge = source.badgeWithId?.(id);
    if (badge === undefined) {
      reply.callNotFound();
      return undefined;
    }
    refuseParameters(request);
    // Not counted: there are only as many as badges, and pages show dozens.
    return sendPicture(
      request,
      reply,
      await pictures.badge(badge, version !== undefined),
      'png',
      () => false,
    );
  }

  return (app) => {
    // A scope of its own, as it has its own error handler.
    app.register(async (scope) => {
      answerErrors(scope, log);
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/card/:file',
        handler: (request, reply) =>
          sendCard(request, reply, (request.params as { file: string }).file),
      });
      scope.route({ method: ['GET', 'HEAD'], url: '/badge-picture/:id.png', handler: sendBadge });
      // Digests are only for caches that never revalidate; the response is always the newest.
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/badge-picture/:id/:version.png',
        handler: sendBadge,
      });
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/card/:address/:digest.png',
        handler: (request, reply) =>
          sendCard(request, reply, `${(request.params as { address: string }).address}.png`),
      });
    });
  };
}
