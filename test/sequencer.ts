import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What starts processes takes longest. */
const LONG =
  /\b(?:startCluster|useDatabase|useRacers|storePlaces|runCli|startCli|startService|workplace|LinkBrowser|openBrowser)\b/;

/** Long files first: one that begins last would be waited for while the other workers have nothing to do. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(readFileSync(moduleId, 'utf8'));
    const long = new Set(sorted.filter(isLong));
    return [...long, ...sorted.filter((file) => !long.has(file))];
  }
}
