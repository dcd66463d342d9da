import type { DatabaseSync } from 'node:sqlite';
import type { GateStore } from '#core/gating/store';
import { createAuditTable } from './audit.ts';
import { createChangeTable } from './changes.ts';
import { createGrantTable } from './grants.ts';
import { createJoinRequestTable } from './join-requests.ts';
import { createMemberTable } from './members.ts';
import { createMoves } from './moves.ts';
import { createRuleTables } from './rules.ts';
import { createRunTable } from './runs.ts';

/** Rules of communities and what came of them, in tables of their own. */
export function createGateStore(db: DatabaseSync, file: string): GateStore {
  return {
    ...createRuleTables(db, file),
    ...createMoves(db, file),
    ...createMemberTable(db, file),
    ...createJoinRequestTable(db, file),
    ...createGrantTable(db, file),
    ...createRunTable(db, file),
    ...createChangeTable(db, file),
    ...createAuditTable(db, file),
  };
}
