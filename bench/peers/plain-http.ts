import { createServer } from 'node:http';

/**
 * The upper bound of Node's own HTTP server: default options, one fixed body, no lookups and no
 * checks.
 */

const body = Buffer.from(process.env.BODY ?? '{}');

const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
