import {
  type AnnounceSettings,
  type AnnounceState,
  type AuditRow,
  type Change,
  type ChangeTally,
  type Community,
  type CommunitySettings,
  type DigestState,
  type Grant,
  type JoinRequest,
  type KnownMember,
  type LadderMove,
  type LastObservation,
  type MemberBar,
  type MemberRefusal,
  type MemberScanProgress,
  NO_COUNTS,
  type PanelPost,
  type PanelSettings,
  type Rule,
  type Run,
  type SetupRecord,
  type SourceMemory,
} from '#gating';
import type { Row } from '#storage/sql/script';
import { CHAINS, type Chain, type Wallet } from '#wallet';

export function communityOfRow(row: Row): Community {
  return {
    platform: String(row.platform) as Community['platform'],
    id: String(row.community),
  };
}

export function ruleOf(row: Row): Rule {
  return {
    id: String(row.id),
    community: communityOfRow(row),
    grant: String(row.grant_id),
    grantName: String(row.grant_name),
    requirements: JSON.parse(String(row.requirements)) as Rule['requirements'],
    match: String(row.matching) as Rule['match'],
    chain: row.chain === null ? undefined : (CHAINS[Number(row.chain)] as Chain),
    bounds: row.bounds === null ? undefined : (JSON.parse(String(row.bounds)) as Rule['bounds']),
    exclusive: row.exclusive === 1,
    ...(row.wallets === 'sum' && { walletMode: 'sum' }),
    ...(row.hidden === 1 && { isHidden: true }),
    graceSeconds: Number(row.grace_seconds),
    paused: nullableText(row.paused) as Rule['paused'],
    createdBy: String(row.created_by),
    createdAt: Number(row.created_at),
  };
}

/** The columns of a grant, in the order that `grantOf` expects. */
export const GRANT_COLUMNS =
  'rule, account, holds, lacks, first_lack_at, last_lack_at, warned_at, due_at, joined_at';

/** @param row GRANT_COLUMNS as an array: there are too many for objects */
export function grantOf(row: readonly unknown[]): Grant {
  const [rule, account, holds, lacks, firstLackAt, lastLackAt, warnedAt, dueAt, joinedAt] = row;
  return {
    rule: String(rule),
    account: String(account),
    ownership: ownershipOf(holds),
    lacks: Number(lacks),
    firstLackAt: numberOf(firstLackAt),
    lastLackAt: numberOf(lastLackAt),
    warnedAt: numberOf(warnedAt),
    dueAt: numberOf(dueAt),
    joinedAt: numberOf(joinedAt),
  };
}

export function barOf(row: Row): MemberBar {
  return {
    account: String(row.account),
    grant: String(row.grant_id),
    name: nullableText(row.grant_name),
    ...(row.former_names !== null && { formerNames: formerNamesOf(row) }),
    origin: nullableText(row.origin),
    at: Number(row.barred_at),
    renewedAt: numberOf(row.renewed_at),
    by: nullableText(row.by_account),
    isGone: row.gone === 1,
  };
}

/** What a barred role was called before; none if it has always been called the same. */
export function formerNamesOf({ former_names: names }: Row): readonly string[] {
  return JSON.parse(nullableText(names) ?? '[]');
}

export function memberRefusalOf(row: Row): MemberRefusal {
  return {
    account: String(row.account),
    grant: String(row.grant_id),
    code: String(row.code),
    at: Number(row.refused_at),
  };
}

export function runOf(row: Row): Run {
  return {
    id: String(row.id),
    community: communityOfRow(row),
    cause: String(row.cause) as Run['cause'],
    by: nullableText(row.by_account),
    startedAt: Number(row.started_at),
    finishedAt: numberOf(row.finished_at),
    status: String(row.status) as Run['status'],
    // Rows written by an older version have fewer.
    counts: { ...NO_COUNTS, ...(JSON.parse(String(row.counts)) as Run['counts']) },
    undoes: nullableText(row.undoes),
    confirmedBy: nullableText(row.confirmed_by),
    stoppedBy: nullableText(row.stopped_by),
    toldAt: numberOf(row.told_at),
  };
}

export function changeOf(row: Row): Change {
  return {
    number: Number(row.number),
    run: String(row.run),
    rule: String(row.rule),
    account: String(row.account),
    grant: nullableText(row.grant_id) ?? '',
    step: String(row.step) as Change['step'],
    status: String(row.status) as Change['status'],
    reason: String(row.reason),
    ownershipBefore: row.held_before === null ? undefined : ownershipOf(row.held_before),
    restores: row.restores === null ? undefined : ownershipOf(row.restores),
    ...(row.ladder !== null && { ladder: moveOf(String(row.ladder)) }),
  };
}

/** A move on the ladder as stored; `moveOf` reads it. */
export function moveText({ way, other }: LadderMove): string {
  return `${way} ${other}`;
}

function moveOf(text: string): LadderMove {
  const at = text.indexOf(' ');
  return { way: text.slice(0, at) as LadderMove['way'], other: text.slice(at + 1) };
}

export function tallyOf(row: Row): ChangeTally {
  return {
    step: String(row.step) as Change['step'],
    status: String(row.status) as Change['status'],
    count: Number(row.count),
  };
}

export function auditRowOf(row: Row): AuditRow {
  return {
    at: Number(row.at),
    community: communityOfRow(row),
    event: String(row.event) as AuditRow['event'],
    run: nullableText(row.run),
    rule: nullableText(row.rule),
    account: nullableText(row.account),
    by: nullableText(row.by_account),
    detail: String(row.detail),
  };
}

export function joinRequestOf(row: Row): JoinRequest {
  return {
    account: String(row.account),
    locale: nullableText(row.locale),
    askedAt: Number(row.asked_at),
  };
}

/** In the form that its account's record has. */
export function joinRequestRecordOf(row: Row) {
  const { locale, askedAt } = joinRequestOf(row);
  return { community: communityOfRow(row), locale, askedAt };
}

/** @param row the community's, if there is one */
export function settingsOf(row: Row | undefined): CommunitySettings {
  if (row === undefined) {
    return { logChannel: undefined, memory: undefined, memberScan: undefined, invite: undefined };
  }
  const memory = nullableText(row.memory);
  const roll = nullableText(row.roll);
  return {
    logChannel: nullableText(row.log_channel),
    memory: memory === undefined ? undefined : (JSON.parse(memory) as SourceMemory),
    memberScan: roll === undefined ? undefined : (JSON.parse(roll) as MemberScanProgress),
    invite: nullableText(row.invite),
    ...(row.ladder === 1 && { isLadder: true }),
    ...(row.language !== null && { language: String(row.language) }),
    ...(row.wallets === 'sum' && { walletMode: 'sum' }),
    ...(row.audit_cursor !== null && { auditCursor: String(row.audit_cursor) }),
    ...(row.setup !== null && { setup: JSON.parse(String(row.setup)) as SetupRecord }),
    ...(row.announce !== null && {
      announce: JSON.parse(String(row.announce)) as AnnounceSettings,
    }),
    ...(row.panel !== null && { panel: JSON.parse(String(row.panel)) as PanelSettings }),
    ...(row.panel_post !== null && { panelPost: JSON.parse(String(row.panel_post)) as PanelPost }),
    ...(row.look !== null && { look: JSON.parse(String(row.look)) as LastObservation }),
    ...(row.announced !== null && {
      announced: JSON.parse(String(row.announced)) as AnnounceState,
    }),
    ...(row.digest !== null && { digest: JSON.parse(String(row.digest)) as DigestState }),
  };
}

/** @param rows account, protected, chain, address: a member's rows are adjacent */
export function membersOf(rows: readonly (readonly unknown[])[]): KnownMember[] {
  const members: (KnownMember & { readonly wallets: Wallet[] })[] = [];
  for (const [id, isProtected, chain, address] of rows) {
    const account = String(id);
    const wallets =
      address === null ? [] : [{ chain: CHAINS[Number(chain)] as Chain, address: String(address) }];
    const last = members.at(-1);
    if (last?.account === account) last.wallets.push(...wallets);
    else members.push({ account, isProtected: isProtected === 1, wallets });
  }
  return members;
}

/** Before bars had a table of their own, a grant could be `barred`. */
function ownershipOf(value: unknown): Grant['ownership'] {
  return value === 'ours' || value === 'theirs' ? value : 'none';
}

export function nullableText(value: unknown): string | undefined {
  return value === null ? undefined : String(value);
}

function numberOf(value: unknown): number | undefined {
  return value === null ? undefined : Number(value);
}
