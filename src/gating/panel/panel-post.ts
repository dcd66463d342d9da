import type { ReportRefusal } from '#gating/community-adapter';

/** Where moderators want the panel. */
export interface PanelSettings {
  /** New each time, also of the same channel. */
  readonly id: string;
  /** The community itself on a platform without channels. */
  readonly channel: string;
}

/** A former panel's message, which the platform doesn't let us delete yet. */
export interface LeftPost {
  readonly channel: string;
  readonly message: string;
  /** When that was last refused. */
  readonly triedAt: number;
}

/** What is posted. */
export interface PanelPost {
  /** The id of the settings it's for. */
  readonly id: string;
  readonly channel: string;
  readonly message?: string | undefined;
  /** When the platform was first asked, and may have posted it; seconds since 1970, as below. */
  readonly begunAt?: number | undefined;
  readonly isPinned?: boolean;
  /** What it says. */
  readonly says?: string | undefined;
  /** When it was last posted or edited, or that was refused. */
  readonly writtenAt?: number | undefined;
  readonly refused?: ReportRefusal | undefined;
  /** It isn't posted again: somebody has deleted it, or nobody knows whether it's there. */
  readonly ended?: 'deleted' | 'lost' | undefined;
  /** Oldest first. */
  readonly left?: readonly LeftPost[] | undefined;
}
