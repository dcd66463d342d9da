import { keepsContractsWithOthers } from '../storage/contracts.ts';
import { postgresKeeps } from '../support/postgres/contracts.ts';

// A file of its own, with a server of its own, so that it runs beside the rest.
postgresKeeps(keepsContractsWithOthers, 'Postgres');
