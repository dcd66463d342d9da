import type { GateStore } from '#core/gating/store';
import type { Database } from '#stores/postgres/database';
import { createAuditTable } from './audit.ts';
import { createChangeTable } from './changes.ts';
import { createGrantTable } from './grants.ts';
import { createJoinRequestTable } from './join-requests.ts';
import { createMemberTable } from './members.ts';
import { createMoves } from './moves.ts';
import { createRuleTables } from './rules.ts';
import { createRunTable } from './runs.ts';

/**
 * Rules of communities and what came of them, in tables of their own. Where a transaction locks rows
 * of several tables, it takes rules first, then runs, changes and grants.
 */
export function createGateStore(db: Database): GateStore {
  return {
    ...createRuleTables(db),
    ...createMoves(db),
    ...createMemberTable(db),
    ...createJoinRequestTable(db),
    ...createGrantTable(db),
    ...createRunTable(db),
    ...createChangeTable(db),
    ...createAuditTable(db),
  };
}
