import fastify from 'fastify';
import pg from 'pg';

/**
 * The usual way to compute a rank in Postgres: one statement per request that finds the wallet by
 * its key and counts those above it by an index on the points. It queries Fathom's own tables,
 * validates no address, counts no requests against a limit and sends no ETag. A window function
 * over the whole table, the other usual way, reads all of it for each response.
 */

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: '-c search_path=fathom',
  max: 16,
});
await pool.query('CREATE INDEX IF NOT EXISTS peer_points ON wallet (points)');
await pool.query('CREATE INDEX IF NOT EXISTS peer_lower ON wallet (lower(address))');
await pool.query('ANALYZE');
const users = await pool.query('SELECT count(*)::int AS n FROM wallet WHERE activities > 0');
const totalUsers = Number(users.rows[0]?.n);

const CHAINS = ['ethereum', 'solana', 'algorand'];
const SQL = `
  SELECT address, chain, points::float8 AS points, updated_at::float8 AS updated_at,
    (SELECT count(*)::int FROM wallet AS above WHERE above.points > greatest(own.points, 0)) AS above,
    (SELECT coalesce(array_agg(badge.name ORDER BY badge.id), '{}')
     FROM award JOIN badge ON badge.number = award.badge WHERE award.wallet = own.id) AS badges
  FROM wallet AS own WHERE lower(address) = lower($1)`;

function tierOf(score: number): string {
  if (score >= 9000) return 'Titan';
  if (score >= 5000) return 'Whale';
  if (score >= 2000) return 'Shark';
  return score >= 500 ? 'Dolphin' : 'Shrimp';
}

const app = fastify({ logger: false });

app.get<{ Params: { address: string } }>('/v1/reputation/:address', async (request, reply) => {
  const { rows } = await pool.query({ name: 'rank', text: SQL, values: [request.params.address] });
  const row = rows[0];
  if (row === undefined) return reply.code(404).send({ error: 'not found' });
  const score = Math.max(0, row.points);
  return {
    address: row.address,
    chain: CHAINS[row.chain],
    score,
    tier: tierOf(score),
    rank: row.above + 1,
    totalUsers,
    badges: row.badges,
    lastUpdated: `${new Date(row.updated_at * 1000).toISOString().slice(0, 19)}Z`,
  };
});
app.get('/', () => 'ready');

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit(0));
