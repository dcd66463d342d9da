import type { BadgePngs } from '#pictures/card/card-svg';
import type { CardFormat, CardLook } from '#pictures/shown/paths';
import type { DrawnStyle } from '#pictures/shown/pictures';
import type { PicturedBadge, RankCard } from '#pictures/shown/rank-card';

/** A picture to draw. */
export type RenderJob =
  | {
      readonly kind: 'card';
      readonly card: RankCard;
      readonly look: CardLook;
      readonly format: CardFormat;
      readonly pngs: BadgePngs;
      readonly style?: DrawnStyle | undefined;
    }
  /** A badge without a picture. */
  | { readonly kind: 'badge'; readonly badge: PicturedBadge };

/** To the thread. */
export interface JobRequest {
  readonly number: number;
  readonly job: RenderJob;
}

/** From the thread. */
export type JobReply =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly number: number; readonly error: string };
