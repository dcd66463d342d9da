import { postgresKeeps } from '../support/postgres/contracts.ts';
import { keepsContractsAlone } from './contracts.ts';

postgresKeeps(keepsContractsAlone, 'Postgres');
