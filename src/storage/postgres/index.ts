/** What the command line asks of Postgres itself. */

export { SCHEMA } from './database.ts';
export { connectSession } from './pooler.ts';
