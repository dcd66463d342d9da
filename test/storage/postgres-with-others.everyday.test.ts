import { postgresKeeps } from '../support/postgres/contracts.ts';
import { keepsContractsWithOthers } from './contracts.ts';

// A file of its own, with a server of its own, so that it runs beside the rest.
postgresKeeps(keepsContractsWithOthers, 'Postgres');
