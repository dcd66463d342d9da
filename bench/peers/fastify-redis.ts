import fastify from 'fastify';
import { Redis } from 'ioredis';

/**
 * The usual way to build such a service: Fastify, scores in a Redis sorted set, the rest of a
 * wallet's record under a key, one pipeline per request. It validates no address, counts no
 * requests against a limit and sends no ETag, so it does less than Fathom for the same body.
 */

const redis = new Redis({ port: Number(process.env.REDIS_PORT), host: '127.0.0.1' });
const totalUsers = await redis.zcard('scores');

/** What is stored of a wallet beside its score. */
interface Kept {
  address: string;
  chain: string;
  badges: string[];
  lastUpdated: string;
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const schema = {
  response: {
    200: {
      type: 'object',
      properties: {
        ...{ address: text, chain: text, score: integer, tier: text, rank: integer },
        ...{ totalUsers: integer, badges: { type: 'array', items: text }, lastUpdated: text },
      },
    },
  },
};

function tierOf(score: number): string {
  if (score >= 9000) return 'Titan';
  if (score >= 5000) return 'Whale';
  if (score >= 2000) return 'Shark';
  return score >= 500 ? 'Dolphin' : 'Shrimp';
}

const app = fastify({ logger: false });

app.get<{ Params: { address: string } }>(
  '/v1/reputation/:address',
  { schema },
  async (request, reply) => {
    const { address } = request.params;
    const key = address.startsWith('0x') ? address.toLowerCase() : address;
    const results = await redis
      .pipeline()
      .zrevrank('scores', key)
      .zscore('scores', key)
      .get(`wallet:${key}`)
      .exec();
    const [rank, scoreText, kept] = (results ?? []).map(([error, value]) => {
      if (error !== null) throw error;
      return value;
    });
    if (typeof kept !== 'string') return reply.code(404).send({ error: 'not found' });
    const wallet: Kept = JSON.parse(kept);
    const score = Number(scoreText);
    return {
      address: wallet.address,
      chain: wallet.chain,
      score,
      tier: tierOf(score),
      rank: Number(rank) + 1,
      totalUsers,
      badges: wallet.badges,
      lastUpdated: wallet.lastUpdated,
    };
  },
);
app.get('/', () => 'ready');

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit(0));
