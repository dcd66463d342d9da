import type { Rgb } from '#command';
import type { Community } from '#gating';
import type { Banner, CardStyle } from './store.ts';

/** The styles of communities' cards, for answers and for moderators. Callers check permissions. */
export interface CardStyles {
  /**
   * Never rejects, and takes at most half a second: a card doesn't wait for its colour. Other replicas'
   * changes show after a few seconds.
   */
  styleOf(community: Community): Promise<CardStyle>;
  /** A style's banner; undefined if it's unavailable right now. Never rejects. */
  bannerOf(community: Community, style: CardStyle): Promise<Banner | undefined>;
  /** @param by as in the audit log. @throws RetryableError if the store is unavailable */
  setAccent(community: Community, accent: Rgb, by: string): Promise<void>;
  /**
   * Fetches a picture and stores a re-encoded copy.
   * @throws UserError `banner-busy`, `banner-often`, `banner-unreachable`, `banner-too-large`,
   *   `banner-unreadable`, RetryableError
   */
  setBanner(community: Community, url: string, by: string): Promise<void>;
  /** @throws RetryableError if the store is unavailable */
  reset(community: Community, by: string): Promise<void>;
}
