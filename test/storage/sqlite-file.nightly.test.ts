import { useSqliteFile } from '../support/sqlite-file.ts';
import { keepsContracts } from './contracts.ts';

// The same code as in memory; what other processes may do to the file is tested every day.
keepsContracts('SQLite in a file', useSqliteFile().underTest);
