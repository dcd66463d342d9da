import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SLOW_FILES } from './slow-files.ts';

/** Runs slow files first, then the rest in Vitest's order. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const slow = new Map(SLOW_FILES.map((file, place) => [file, place]));
    const placeOf = ({ moduleId }: TestSpecification) =>
      slow.get(relative(this.ctx.config.root, moduleId)) ?? SLOW_FILES.length;
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
