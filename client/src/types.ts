import type { components, paths } from './openapi.ts';

type Schemas = components['schemas'];

export type { paths } from './openapi.ts';

export type Problem = Schemas['Problem'];
export type ProblemCode = Problem['code'];
export type Reputation = Schemas['Reputation'];
export type BadgeList = Schemas['BadgeList'];
export type Badge = BadgeList['badges'][number];
export type Leaderboard = Schemas['Leaderboard'];
export type LeaderboardEntry = Leaderboard['leaderboard'][number];
export type ActivityList = Schemas['ActivityList'];
export type ActivityPage = Schemas['ActivityPage'];
export type Activity = ActivityPage['activities'][number];
export type GlobalStats = Schemas['GlobalStats'];
export type Breakdown = Schemas['Breakdown'];
export type ScoreHistory = Schemas['ScoreHistory'];
export type Provenance = Schemas['Provenance'];
export type Changes = Schemas['Changes'];

/** Takes the place of a wallet without a record. */
export type ListProblem = Extract<Schemas['ReputationList']['results'][number], { code: string }>;

export type Chain = Reputation['chain'];
export type ChainCode = 'eth' | 'sol' | 'algo';
export type Tier = Reputation['tier'];

export type LeaderboardQuery = NonNullable<paths['/leaderboard']['get']['parameters']['query']>;
