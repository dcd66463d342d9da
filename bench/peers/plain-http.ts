import { createServer } from 'node:http';

/**
 * The most that Node's own HTTP server can give: default options, one fixed body, nothing looked
 * up and nothing checked.
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
