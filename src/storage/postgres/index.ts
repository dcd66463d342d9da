/** What the command line asks of Postgres itself. */

export { connectSession } from './connection.ts';
export { SCHEMA } from './database.ts';
