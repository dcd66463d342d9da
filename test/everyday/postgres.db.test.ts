import { keepsContractsAlone } from '../storage/contracts.ts';
import { postgresKeeps } from '../support/postgres/contracts.ts';

postgresKeeps(keepsContractsAlone, 'Postgres');
