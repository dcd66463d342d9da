import type { Rgb } from '#core/contrast';
import type { Community } from '#core/gating/rule';
import type { Banner, CardStyle } from './store.ts';

/** Styles of communities' cards, for answers and for moderators. Callers check permissions. */
export interface CardStyles {
  /**
   * Never rejects, and takes half a second at most: a card doesn't wait for its colour. Changes by
   * other replicas show after some seconds.
   */
  styleOf(community: Community): Promise<CardStyle>;
  /** The banner of a style; undefined if it can't be had now. Never rejects. */
  bannerOf(community: Community, style: CardStyle): Promise<Banner | undefined>;
  /** @param by as in the audit log. @throws RetryableError if the store is unavailable */
  setAccent(community: Community, accent: Rgb, by: string): Promise<void>;
  /**
   * Fetches a picture and keeps a copy of our own making.
   * @throws UserError `banner-unreachable`, `banner-too-large`, `banner-unreadable`, RetryableError
   */
  setBanner(community: Community, url: string, by: string): Promise<void>;
  /** @throws RetryableError if the store is unavailable */
  reset(community: Community, by: string): Promise<void>;
}
