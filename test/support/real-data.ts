import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A large file in the import format without invalid lines; tests that need it are skipped without one. */
export const REAL_DATA =
  process.env.FATHOM_REAL_DATA ??
  fileURLToPath(new URL('../../../shared/data/real-activities.ndjson.gz', import.meta.url));

export const hasRealData = existsSync(REAL_DATA);
