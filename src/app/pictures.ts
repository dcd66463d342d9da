import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#app/config';
import type { Logger } from '#core/logger';
import { withVerifiedNames } from '#core/named-source';
import type { Pictures } from '#core/pictures/pictures';
import type { ReputationSource } from '#core/ports';
import type { RateCounterMaker } from '#core/rate-window';
import type { VerifiedNames } from '#core/verified-names';
import type { WalletParser } from '#core/wallet';
import { openPictures } from '#pictures/index';
import { createPictureRoutes } from '#web/pictures/routes';

interface PictureParts {
  readonly config: Pick<Config, 'thresholds' | 'demo'>;
  readonly source: ReputationSource;
  readonly names: VerifiedNames;
  readonly wallets: WalletParser;
  readonly clientOf: (request: IncomingMessage) => string;
  readonly counters: RateCounterMaker | undefined;
  readonly log: Logger;
}

export interface PictureService {
  readonly pictures: Pictures;
  /** Adds the routes to a server. */
  register(app: FastifyInstance): void;
  close(): Promise<void>;
}

/** Assembles pictures of wallets and badges. */
export function openPictureService(parts: PictureParts): PictureService {
  const { config, source, names, wallets, clientOf, counters, log } = parts;
  const pictures = openPictures({ log });
  const register = createPictureRoutes({
    ...{ pictures, wallets, clientOf, counters, log },
    source: withVerifiedNames(source, names),
    settings: { thresholds: config.thresholds, isDemo: config.demo },
  });
  return { pictures, register, close: () => pictures.close() };
}
