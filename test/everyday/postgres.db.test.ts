import { postgresKeepsContracts } from '../support/postgres/contracts.ts';

postgresKeepsContracts('Postgres');
