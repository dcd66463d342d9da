import type { CodeExample } from '#http/api/docs/code';

/** What the programs of a guide are made for. */
export interface GuideOptions {
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** Base URL of the instance. */
  readonly origin: string;
}

/** One task with complete programs for it. */
export interface Guide {
  readonly id: 'gate' | 'leaderboard' | 'copy' | 'webhooks';
  programs(options: GuideOptions): readonly CodeExample[];
}
