import { UserError } from '#base';

const CLIENT = 'Its own programs do that, of the same major version as the server or a newer one:';

/** Postgres has better programs for it than we could write. */
export function useDump(): UserError {
  return new UserError(
    'wrong-usage',
    `DATABASE_URL is a Postgres. ${CLIENT}

  pg_dump --format=custom --no-owner --schema=fathom --file=FILE "$DATABASE_URL"

It takes one consistent snapshot while replicas serve. "pg_restore --list FILE" shows what is in it.`,
  );
}

export function useRestore(): UserError {
  return new UserError(
    'wrong-usage',
    `DATABASE_URL is a Postgres. ${CLIENT} stop all replicas, then

  psql "$DATABASE_URL" -c 'ALTER SCHEMA fathom RENAME TO fathom_before'
  pg_restore --no-owner --single-transaction --dbname="$DATABASE_URL" FILE
  fathom restore

The first puts the database aside, if there is one: what a newer version added to it would be in the way. The second
restores everything or nothing. The third, without a file, checks what is there and pauses the webhooks, as their
receivers may know of changes that are gone. Then: psql "$DATABASE_URL" -c 'DROP SCHEMA fathom_before CASCADE'`,
  );
}
