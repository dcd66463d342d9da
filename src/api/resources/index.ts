import type { Route } from '#api/route';
import { activity } from './activity.ts';
import { badges } from './badges.ts';
import { leaderboard } from './leaderboard.ts';
import { reputation } from './reputation.ts';
import { stats } from './stats.ts';

/** Every resource of `/v1`, in the interface's order. The only list. */
export const ROUTES: readonly Route[] = [reputation, badges, leaderboard, activity, stats];
