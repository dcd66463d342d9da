import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Logger, RateCounterMaker } from '#base';
import { TargetGuard } from '#base/json-http';
import { createPictureRoutes } from '#http/pages';
import { type VerifiedNames, withVerifiedNames } from '#names';
import {
  BadgePictures,
  fetchBanner,
  type ImageFetcher,
  openImageFetcher,
  openPictures,
} from '#pictures';
import { BADGE_SIZE, type BadgePictureOf, type PictureOf } from '#pictures/shown';
import type { CardStyles } from '#pictures/style';
import type { ReputationSource } from '#reputation';
import type { Store } from '#storage';
import type { WalletParser } from '#wallet';
import { createCardStyles } from './card-styles.ts';
import { createBadgeUrls, createChatPictures } from './chat-pictures.ts';
import type { Config } from './config.ts';

interface PictureParts {
  readonly config: Pick<Config, 'thresholds' | 'demo' | 'publicUrl' | 'privateNetworks'>;
  readonly store: Pick<Store, 'cardStyles'>;
  readonly source: ReputationSource;
  readonly names: VerifiedNames;
  readonly wallets: WalletParser;
  readonly clientOf: (request: IncomingMessage) => string;
  readonly counters: RateCounterMaker | undefined;
  readonly log: Logger;
}

export interface PictureService {
  readonly cardStyles: CardStyles;
  /** For the chats. */
  readonly pictureOf: PictureOf;
  readonly badgePictureOf: BadgePictureOf;
  /** Registers the routes. */
  register(app: FastifyInstance): void;
  close(): Promise<void>;
}

/** Assembles the pictures of wallets and badges. */
export function openPictureService(parts: PictureParts): PictureService {
  const { config, store, source, names, wallets, clientOf, counters, log } = parts;
  const { thresholds, demo: isDemo, publicUrl, privateNetworks } = config;
  const door = openImageFetcher(new TargetGuard({ privateNetworks }));
  const cardStyles = createCardStyles({
    store: store.cardStyles,
    fetchBanner: (url) => fetchBanner(door, url),
    counters,
    log,
  });
  // The demo's badge URLs are made up, too.
  const badges = isDemo ? undefined : createBadgePictures(door, log);
  const pictures = openPictures({ badges, log });
  const shared = { pictures, settings: { thresholds, isDemo }, log };
  return {
    cardStyles,
    pictureOf: createChatPictures({ ...shared, source, cardStyles, publicUrl }),
    badgePictureOf: createBadgeUrls(source, publicUrl),
    register: createPictureRoutes({
      ...{ ...shared, wallets, clientOf, counters },
      source: withVerifiedNames(source, names),
    }),
    async close() {
      await Promise.all([pictures.close(), door.close()]);
    },
  };
}

function createBadgePictures({ fetch, reencode }: ImageFetcher, log: Logger): BadgePictures {
  return new BadgePictures({ fetch, reencode: (file) => reencode(file, BADGE_SIZE), log });
}
