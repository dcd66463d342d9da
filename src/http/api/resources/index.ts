import type { Route } from '#http/api/routes/route';
import { activitiesRoute, activityRoute } from './activity.ts';
import { badgeListsRoute, badgesRoute } from './badges.ts';
import { changesRoute } from './changes.ts';
import { breakdownRoute, historyRoute, provenanceRoute } from './explanations.ts';
import { leaderboardRoute, statsRoute } from './platform.ts';
import { reputationRoute, reputationsRoute } from './reputation.ts';

/** Every resource of `/v1`, those of the interface spec first, in its order. The only list. */
export const ROUTES: readonly Route[] = [
  reputationRoute,
  badgesRoute,
  leaderboardRoute,
  activityRoute,
  statsRoute,
  reputationsRoute,
  badgeListsRoute,
  activitiesRoute,
  breakdownRoute,
  historyRoute,
  provenanceRoute,
  changesRoute,
];
