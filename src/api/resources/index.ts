import type { Route } from '#api/route';
import { activityRoute } from './activity.ts';
import { badgesRoute } from './badges.ts';
import { leaderboardRoute } from './leaderboard.ts';
import { reputationRoute } from './reputation.ts';
import { statsRoute } from './stats.ts';

/** Every resource of `/v1`, in the order of the interface spec. The only list. */
export const ROUTES: readonly Route[] = [
  reputationRoute,
  badgesRoute,
  leaderboardRoute,
  activityRoute,
  statsRoute,
];
