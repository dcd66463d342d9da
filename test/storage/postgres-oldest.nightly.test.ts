import { describe } from 'vitest';
import { hasOldest, NEEDS_OLDEST, OLDEST } from '../../bench/servers/postgres/binaries.ts';
import { postgresKeeps } from '../support/postgres/contracts.ts';
import { keepsContracts } from './contracts.ts';

describe.runIf(hasOldest)(`the oldest Postgres that is supported${NEEDS_OLDEST}`, () =>
  postgresKeeps(keepsContracts, 'Postgres 15', OLDEST),
);
