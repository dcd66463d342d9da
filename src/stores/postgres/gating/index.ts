import type { GateStore } from '#core/gating/store';
import { createBarTable } from '#stores/gating/bars';
import { createJoinRequestTable } from '#stores/gating/join-requests';
import { createMemberTable } from '#stores/gating/members';
import { createRefusalTable } from '#stores/gating/refusals';
import { createRuleTables } from '#stores/gating/rules';
import { createRunTable } from '#stores/gating/runs';
import { createUsernameTable } from '#stores/gating/usernames';
import type { Database } from '#stores/postgres/database';
import type { SqlRunner } from '#stores/sql/script';
import { createAuditTable } from './audit.ts';
import { createChangeTable } from './changes.ts';
import { createGrantTable } from './grants.ts';
import { createMoves } from './moves.ts';

/**
 * Communities' rules and their results, in their own tables. Transactions that lock rows of several
 * tables lock rules first, then runs, changes and grants.
 */
export function createGateStore(db: Database, sql: SqlRunner): GateStore {
  return {
    ...createRuleTables(sql),
    ...createMoves(db),
    ...createMemberTable(sql),
    ...createJoinRequestTable(sql),
    ...createUsernameTable(sql),
    ...createBarTable(sql),
    ...createRefusalTable(sql),
    ...createGrantTable(db),
    ...createRunTable(sql),
    ...createChangeTable(db),
    ...createAuditTable(db),
  };
}
