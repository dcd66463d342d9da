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
