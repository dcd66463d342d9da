import type { Account } from '#command';
import type {
  AccountRecord,
  Claim,
  Link,
  LinkEvent,
  Privacy,
  PrivacyChoice,
  StoredProof,
  WalletReservation,
} from '#linking';
import type { Row } from '#storage/sql/script';
import { CHAINS, type Chain, type Wallet } from '#wallet';

/** The value of a proof's column: everything but the wallet, which has its own columns. */
export function proofText({ by, network, evidence, text }: StoredProof): string {
  return JSON.stringify({ by, network, evidence, text });
}

export function chainNumber({ chain }: Wallet): number {
  return CHAINS.indexOf(chain);
}

function proofOf(row: Row): StoredProof {
  const kept = JSON.parse(String(row.proof)) as Omit<StoredProof, 'wallet'>;
  return { ...kept, evidence: kept.evidence, wallet: walletOf(row) };
}

function walletOf(row: Row): Wallet {
  return { chain: CHAINS[Number(row.chain)] as Chain, address: String(row.address) };
}

function accountOf(row: Row, column = 'account'): Account {
  return { platform: String(row.platform) as Account['platform'], id: String(row[column]) };
}

export function linkOf(row: Row): Link {
  return {
    account: accountOf(row),
    wallet: walletOf(row),
    proof: proofOf(row),
    linkedAt: Number(row.linked_at),
    checkedAt: Number(row.checked_at),
    strikes: Number(row.strikes),
  };
}

export function claimOf(row: Row): Claim {
  return {
    account: accountOf(row),
    wallet: walletOf(row),
    proof: proofOf(row),
    claimedAt: Number(row.claimed_at),
    dueAt: Number(row.due_at),
  };
}

export function holdOf(row: Row): WalletReservation {
  return {
    wallet: walletOf(row),
    keeper: row.keeper === null ? undefined : accountOf(row, 'keeper'),
    until: Number(row.until),
  };
}

export function eventOf(row: Row): LinkEvent {
  return {
    at: Number(row.at),
    account: accountOf(row),
    event: String(row.event) as LinkEvent['event'],
    wallet: row.address === null ? undefined : walletOf(row),
  };
}

export function choiceOf(row: Row): PrivacyChoice {
  const communities = JSON.parse(String(row.communities)) as string[];
  return { privacy: String(row.privacy) as Privacy, communities };
}

export function requestNoteOf(row: Row): AccountRecord['requests'][number] {
  return { way: String(row.way), createdAt: Number(row.created_at) };
}
