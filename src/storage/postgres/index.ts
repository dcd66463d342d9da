/** What the command line asks of Postgres itself. */

export { connectSession } from './connection.ts';
export { CONNECTIONS_PER_REPLICA } from './connections.ts';
export { SCHEMA } from './database.ts';
export { HALF_RESTORED, LEFT_OVER, PUT_ASIDE_SQL } from './migrate.ts';
