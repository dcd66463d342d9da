import { describe } from 'vitest';
import { hasOldest, NEEDS_OLDEST, OLDEST } from '../../bench/servers/postgres/binaries.ts';
import { postgresKeepsContracts } from '../support/postgres/contracts.ts';

describe.runIf(hasOldest)(`the oldest Postgres that is supported${NEEDS_OLDEST}`, () =>
  postgresKeepsContracts('Postgres 15', OLDEST),
);
