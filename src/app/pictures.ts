import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#app/config';
import type { Logger } from '#core/logger';
import { withVerifiedNames } from '#core/named-source';
import type { PictureOf } from '#core/pictures/chat-picture';
import type { ReputationSource } from '#core/ports';
import type { RateCounterMaker } from '#core/rate-window';
import type { VerifiedNames } from '#core/verified-names';
import type { WalletParser } from '#core/wallet';
import { openBadgePictures } from '#pictures/badges/open';
import { openPictures } from '#pictures/index';
import { TargetGuard } from '#runtime/json-http/guarded-client';
import { createPictureRoutes } from '#web/pictures/routes';
import { createChatPictures } from './chat-pictures.ts';

interface PictureParts {
  readonly config: Pick<Config, 'thresholds' | 'demo' | 'publicUrl' | 'privateNetworks'>;
  readonly source: ReputationSource;
  readonly names: VerifiedNames;
  readonly wallets: WalletParser;
  readonly clientOf: (request: IncomingMessage) => string;
  readonly counters: RateCounterMaker | undefined;
  readonly log: Logger;
}

export interface PictureService {
  /** For the chats. */
  readonly pictureOf: PictureOf;
  /** Registers the routes. */
  register(app: FastifyInstance): void;
  close(): Promise<void>;
}

/** Assembles the pictures of wallets and badges. */
export function openPictureService(parts: PictureParts): PictureService {
  const { config, source, names, wallets, clientOf, counters, log } = parts;
  const { thresholds, demo: isDemo, publicUrl, privateNetworks } = config;
  // The demo's badge URLs are made up, too.
  const door = isDemo ? undefined : openBadgePictures(new TargetGuard({ privateNetworks }), log);
  const pictures = openPictures({ badges: door?.badges, log });
  const shared = { pictures, settings: { thresholds, isDemo }, log };
  return {
    pictureOf: createChatPictures({ ...shared, source, publicUrl }),
    register: createPictureRoutes({
      ...{ ...shared, wallets, clientOf, counters },
      source: withVerifiedNames(source, names),
    }),
    async close() {
      await Promise.all([pictures.close(), door?.close()]);
    },
  };
}
