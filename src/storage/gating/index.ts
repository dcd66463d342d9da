import type { GateStore } from '#gating';
import type { SqlRunner } from '#storage/sql/script';
import { createAuditTable } from './audit.ts';
import { createBarTable } from './bars.ts';
import { createChangeTable } from './changes.ts';
import { createGrantTable } from './grants.ts';
import { createJoinRequestTable } from './join-requests.ts';
import { createMemberTable } from './members.ts';
import { createMoves } from './moves.ts';
import { createRefusalTable } from './refusals.ts';
import { createRuleTables } from './rules.ts';
import { createRunTable } from './runs.ts';
import { createUsernameTable } from './usernames.ts';

/**
 * Communities' rules and their results, in their own tables. Transactions that lock rows of several
 * tables lock rules first, then runs, changes and grants.
 */
export function createGateStore(sql: SqlRunner): GateStore {
  return {
    ...createRuleTables(sql),
    ...createMoves(sql),
    ...createMemberTable(sql),
    ...createJoinRequestTable(sql),
    ...createUsernameTable(sql),
    ...createBarTable(sql),
    ...createRefusalTable(sql),
    ...createGrantTable(sql),
    ...createRunTable(sql),
    ...createChangeTable(sql),
    ...createAuditTable(sql),
  };
}
