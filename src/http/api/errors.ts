import { isForOperator, type Logger, OPERATOR_RETRY, RetryableError, UserError } from '#base';
import type { Exchange } from './exchange.ts';
import { PROBLEMS, type Problem, type ProblemCode } from './problems.ts';
import { sendProblemDetails } from './respond.ts';

/** Responds to a request whose handler threw. Unexpected errors reveal nothing to the client. */
export function sendError(exchange: Exchange, error: unknown, log: Logger): void {
  sendProblemDetails(exchange, problemOf(exchange, error, log));
}

function problemOf(exchange: Exchange, error: unknown, log: Logger): Problem {
  const where = { requestId: exchange.id, route: exchange.metrics.template };
  if (error instanceof UserError && error.code in PROBLEMS) {
    const code = error.code as ProblemCode;
    return { code, detail: error.message, faults: faultsOf(error) };
  }
  if (error instanceof RetryableError) {
    // The message is for the operator only: it may name files and hosts.
    exchange.server.refusals.add(error, where.route);
    return unavailable(error.retryAfter);
  }
  if (isForOperator(error)) {
    exchange.server.refusals.add(error, where.route, 'error');
    return unavailable(OPERATOR_RETRY);
  }
  log.error({ ...where, err: error }, 'a request failed');
  return {
    code: 'internal',
    detail:
      'Something went wrong on our side. If it keeps happening, report it with the requestId.',
  };
}

function unavailable(retryAfter: number): Problem {
  return {
    code: 'data-unavailable',
    detail: 'Data is unavailable right now. Try again in a moment.',
    retryAfter: Math.max(1, Math.ceil(retryAfter)),
  };
}

/** The address and chain are parameters too, though their errors come from core. */
function faultsOf(error: UserError): UserError['faults'] {
  if (error.faults.length > 0) return error.faults;
  if (error.code === 'invalid-address') return [{ parameter: 'address', message: error.message }];
  if (error.code === 'chain-mismatch') return [{ parameter: 'chain', message: error.message }];
  return [];
}
