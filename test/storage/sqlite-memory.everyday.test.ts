import { openMemoryStore } from '../support/empty-store.ts';
import { keepsContracts } from './contracts.ts';

keepsContracts('SQLite in memory', {
  open: async () => openMemoryStore(),
  clean: async () => undefined,
});
