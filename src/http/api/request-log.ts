import type { Logger } from '#base';
import type { Exchange } from './exchange.ts';

/**
 * Logs a request at debug level once its connection is done with it. The route stands for the target, which
 * names wallets, and the kind of client for its address and its key.
 */
export function logWhenDone(exchange: Exchange, log: Logger): void {
  const { req, res, startedAt } = exchange;
  const { socket } = req;
  // Of all requests of a connection, one at a time is answered.
  const before = socket.bytesWritten;
  res.once('close', () => {
    const { id, metrics, keyId } = exchange;
    log.debug(
      {
        ...{ requestId: id, method: req.method, route: metrics.template },
        ...{ status: res.statusCode, isComplete: res.writableFinished },
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        bytes: socket.bytesWritten - before,
        client: keyId === undefined ? 'public' : 'key',
      },
      'request',
    );
  });
}
