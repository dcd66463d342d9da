import { type Grant, noGrant } from '#gating/decide/grant';
import { type AuditRow, type Change, NO_COUNTS, type Run } from '#gating/reports/audit';
import type { Community, Rule } from '#gating/rules/rule';

export const HOME: Community = { platform: 'discord', id: '10' };
export const OTHER: Community = { platform: 'discord', id: '11' };
/** The same id on another platform is another community. */
export const ELSEWHERE: Community = { platform: 'telegram', id: '10' };
export const NOW = 1_800_000_000;
/** More than any of them has. */
export const ALL = 1_000;

export function ruleOf(id: string, change: Partial<Rule> = {}): Rule {
  return {
    id,
    community: HOME,
    grant: '500',
    grantName: 'Whales "♥"',
    requirements: [{ kind: 'tier', tier: 'Whale' }],
    match: 'all',
    chain: undefined,
    exclusive: false,
    graceSeconds: 86_400,
    paused: undefined,
    createdBy: 'discord:9',
    createdAt: NOW,
    ...change,
  };
}

export function grantOf(rule: string, account: string, change: Partial<Grant> = {}): Grant {
  return { ...noGrant(rule, account), ownership: 'ours', ...change };
}

export function runOf(id: string, change: Partial<Run> = {}): Run {
  return {
    id,
    community: HOME,
    cause: 'sweep',
    by: undefined,
    startedAt: NOW,
    finishedAt: undefined,
    status: 'running',
    counts: NO_COUNTS,
    ...change,
  };
}

export function changeOf(number: number, change: Partial<Change> = {}): Change {
  return {
    number,
    run: 'run00001',
    rule: 'aaaa',
    account: '1',
    grant: '500',
    step: 'give',
    status: 'planned',
    reason: 'Whale, 7420 points',
    ...change,
  };
}

export function auditRow(event: AuditRow['event'], change: Partial<AuditRow> = {}): AuditRow {
  return {
    at: NOW,
    community: HOME,
    event,
    run: undefined,
    rule: undefined,
    account: undefined,
    by: undefined,
    detail: '',
    ...change,
  };
}
