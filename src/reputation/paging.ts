import type { MaybePromise } from '#base';

/** Pages count from 1. */
export interface Page {
  readonly page: number;
  readonly pages: number;
  /** Items before this page. */
  readonly offset: number;
}

/** The requested page, or the last one if there are fewer. No items make one page. */
export function pageOf(asked: number | undefined, total: number, size: number): Page {
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, asked ?? 1), pages);
  return { page, pages, offset: (page - 1) * size };
}

/** Reads the requested page of a list whose length only a page tells; the last one if there are fewer. */
export async function readPage<Found extends { readonly total: number } | undefined>(
  asked: number,
  size: number,
  read: (offset: number) => MaybePromise<Found>,
): Promise<{ readonly found: Found; readonly page: Page }> {
  const found = await read((asked - 1) * size);
  const page = pageOf(asked, found?.total ?? 0, size);
  return { found: page.page === asked ? found : await read(page.offset), page };
}
