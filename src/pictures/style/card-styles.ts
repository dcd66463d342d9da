import type { MaybePromise } from '#base';
import type { Rgb } from '#command';
import type { AuditRow, Community } from '#gating';

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

/** The look of a community's cards, as far as its moderators have chosen one. */
export interface CardStyle {
  readonly accent: Rgb | undefined;
  /** Identifies the banner: equal digests mean equal pictures. Undefined if there's none. */
  readonly banner: string | undefined;
}

export const NO_STYLE: CardStyle = { accent: undefined, banner: undefined };

/** A PNG that we've encoded ourselves. */
export interface Banner {
  readonly png: Uint8Array;
  /** 22 characters of base64url. */
  readonly digest: string;
}

/** Styles of communities. Throws RetryableError if the store is unavailable. */
export interface CardStyleStore {
  styleOf(community: Community): MaybePromise<CardStyle>;
  /** Separate from the style, because it's large. */
  bannerOf(community: Community): MaybePromise<Banner | undefined>;
  /**
   * Replaces the given fields; others may have changed the rest meanwhile.
   * @param row of the audit log, added in the same transaction
   */
  putStyle(
    community: Community,
    changes: { readonly accent?: Rgb | undefined; readonly banner?: Banner | undefined },
    row?: AuditRow,
  ): MaybePromise<void>;
}
