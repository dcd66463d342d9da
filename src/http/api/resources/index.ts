import type { Route } from '#http/api/route';
import { activitiesRoute } from './activities.ts';
import { activityRoute } from './activity.ts';
import { badgeListsRoute } from './badge-lists.ts';
import { badgesRoute } from './badges.ts';
import { breakdownRoute } from './breakdown.ts';
import { changesRoute } from './changes.ts';
import { historyRoute } from './history.ts';
import { leaderboardRoute } from './leaderboard.ts';
import { provenanceRoute } from './provenance.ts';
import { reputationRoute } from './reputation.ts';
import { reputationsRoute } from './reputations.ts';
import { statsRoute } from './stats.ts';

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
