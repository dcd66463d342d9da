import { activityListContract } from './activity-list-contract.ts';
import { awardTimesContract } from './award-times-contract.ts';
import { barsContract } from './bars-contract.ts';
import { cardStylesContract } from './card-styles-contract.ts';
import { chainEvidenceContract } from './chain-evidence-contract.ts';
import { chainScoringContract } from './chain-scoring-contract.ts';
import { changesContract } from './changes-contract.ts';
import { connectionsContract } from './connections-contract.ts';
import { type StoreUnderTest, storeContract } from './contract.ts';
import { correctionsContract } from './corrections-contract.ts';
import { datesContract } from './dates-contract.ts';
import { evidenceContract } from './evidence-contract.ts';
import { evidenceSnapshotContract } from './evidence-snapshot-contract.ts';
import { explanationContract } from './explanation-contract.ts';
import { gainsContract } from './gains-contract.ts';
import { gatingAccountsContract } from './gating-accounts-contract.ts';
import { gatingContract } from './gating-contract.ts';
import { gatingControlContract } from './gating-control-contract.ts';
import { gatingRunsContract } from './gating-runs-contract.ts';
import { grantsContract } from './grants-contract.ts';
import { growthContract } from './growth-contract.ts';
import { historyContract } from './history-contract.ts';
import { holdersContract } from './holders-contract.ts';
import { inboxContract } from './inbox-contract.ts';
import { joinRequestsContract } from './join-requests-contract.ts';
import { linksContract } from './links-contract.ts';
import { marksContract } from './marks-contract.ts';
import { namesAndBadgesContract } from './names-and-badges-contract.ts';
import { operationsContract } from './operations-contract.ts';
import { retractionContract } from './retraction-contract.ts';
import { scoringContract } from './scoring-contract.ts';
import { settledScoresContract } from './settled-scores-contract.ts';
import { usernamesContract } from './usernames-contract.ts';
import { walletModesContract } from './wallet-modes-contract.ts';
import { webhooksContract } from './webhooks-contract.ts';
import { workContract } from './work-contract.ts';

type Contract = (name: string, under: StoreUnderTest) => void;

/** They open a store a second time, or run SQL, which one in memory can't show. */
const WITH_OTHERS: readonly Contract[] = [
  awardTimesContract,
  cardStylesContract,
  changesContract,
  correctionsContract,
  datesContract,
  evidenceSnapshotContract,
  gainsContract,
  growthContract,
  retractionContract,
  scoringContract,
];

const ALONE: readonly Contract[] = [
  storeContract,
  activityListContract,
  namesAndBadgesContract,
  holdersContract,
  operationsContract,
  linksContract,
  gatingContract,
  grantsContract,
  marksContract,
  gatingAccountsContract,
  gatingRunsContract,
  gatingControlContract,
  walletModesContract,
  joinRequestsContract,
  barsContract,
  usernamesContract,
  connectionsContract,
  evidenceContract,
  chainEvidenceContract,
  chainScoringContract,
  explanationContract,
  historyContract,
  settledScoresContract,
  webhooksContract,
  workContract,
  inboxContract,
];

/** Everything that a store promises. */
export function keepsContracts(name: string, under: StoreUnderTest): void {
  keepsContractsWithOthers(name, under);
  keepsContractsAlone(name, under);
}

/** What only a store shows that other processes open too. */
export function keepsContractsWithOthers(name: string, under: StoreUnderTest): void {
  for (const contract of WITH_OTHERS) contract(name, under);
}

/** What a store shows that nobody else opens. */
export function keepsContractsAlone(name: string, under: StoreUnderTest): void {
  for (const contract of ALONE) contract(name, under);
}
