import type { Route } from '#http/api/routes/route';
import { changesRoute } from './changes.ts';
import { breakdownRoute, historyRoute, provenanceRoute } from './explanations.ts';
import { leaderboardRoute, statsRoute } from './platform.ts';
import {
  activitiesRoute,
  activityRoute,
  badgeListsRoute,
  badgesRoute,
  reputationRoute,
  reputationsRoute,
} from './wallet.ts';

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
