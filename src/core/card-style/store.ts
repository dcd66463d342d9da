import type { Rgb } from '#core/contrast';
import type { Community } from '#core/gating/rule';
import type { MaybePromise } from '#core/maybe-promise';

/** How a community's cards look, where its moderators have chosen. */
export interface CardStyle {
  readonly accent: Rgb | undefined;
  /** Identifies the banner: equal ones are equal pictures. Undefined if there is none. */
  readonly banner: string | undefined;
}

export const NO_STYLE: CardStyle = { accent: undefined, banner: undefined };

/** A PNG that we have encoded ourselves. */
export interface Banner {
  readonly png: Uint8Array;
  /** 22 characters of base64url. */
  readonly digest: string;
}

/** Styles of communities. Throws RetryableError if the store is unavailable. */
export interface CardStyleStore {
  styleOf(community: Community): MaybePromise<CardStyle>;
  /** Apart from the style, as it's large. */
  bannerOf(community: Community): MaybePromise<Banner | undefined>;
  /** Replaces the given fields; others may have changed the rest meanwhile. */
  putStyle(
    community: Community,
    changes: { readonly accent?: Rgb | undefined; readonly banner?: Banner | undefined },
  ): MaybePromise<void>;
}
