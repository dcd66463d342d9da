import { UserError } from '#base';
import type { TransferKind } from './endpoint.ts';

/** A store to read or fill, whether or not it exists yet. */
export interface StoreLocation {
  /** As in DATABASE_URL. */
  readonly url: string;
  readonly kind: TransferKind;
  /** What its kind finds it by. */
  readonly location: string;
}

/**
 * The location that a URL leads to, as in DATABASE_URL.
 * @throws UserError `wrong-usage` for a store that doesn't outlive the process
 */
export async function findStore(url: string): Promise<StoreLocation> {
  const [scheme, location = ''] = splitAt(url, ':');
  if (scheme === 'sqlite' && location !== '' && location !== ':memory:') {
    return { url, kind: (await import('./sqlite.ts')).sqliteEnd, location };
  }
  if ((scheme === 'postgres' || scheme === 'postgresql') && URL.canParse(url)) {
    return { url, kind: (await import('./postgres.ts')).postgresEnd, location: url };
  }
  throw new UserError(
    'wrong-usage',
    'Name a store as in DATABASE_URL: sqlite:./data/fathom.db or postgres://user@host/database, or env:NAME for a variable that holds such a URL. Percent-encode special characters in a password, for example @ as %40 and # as %23.',
  );
}

function splitAt(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
