import type { FastifyInstance } from 'fastify';
import { createPathTable, type PathTable } from './paths.ts';

/** A page that doesn't support the requested method. */
interface OtherMethod {
  /** The page's route. */
  readonly template: string;
  /** The methods it supports. */
  readonly allow: string;
}

/**
 * The methods of pages outside of the API. Paths without GET, such as those of deliveries, stay unknown to
 * other methods.
 */
export class PageMethods {
  /** By route. */
  readonly #methods = new Map<string, Set<string>>();
  #table: PathTable | undefined;

  /** Records all routes added to the scope from now on. */
  watch(scope: FastifyInstance): void {
    scope.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methods.get(url) ?? new Set();
      this.#methods.set(url, methods);
      for (const each of [method].flat()) methods.add(each);
    });
  }

  /** @returns undefined if there's no such page, or it supports the method. Call it once all are added. */
  find(url: string, method: string): OtherMethod | undefined {
    this.#table ??= createPathTable([...this.#methods.keys()].filter((each) => this.#isRead(each)));
    const found = this.#table.find(url);
    if (found.kind !== 'found') return undefined;
    const { template } = found;
    const own = this.#methods.get(template) ?? new Set();
    if (own.has(method)) return undefined;
    return { template, allow: [...own, 'OPTIONS'].join(', ') };
  }

  #isRead(url: string): boolean {
    return this.#methods.get(url)?.has('GET') === true;
  }
}
