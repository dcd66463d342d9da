import { MemoryWork } from '#cluster/memory-work';
import { replicasContract } from '../storage/replicas-contract.ts';

let now = 1_800_000_000_000;

replicasContract('the memory of one process', {
  open: async () => new MemoryWork(() => now),
  pass: async (seconds) => {
    now += seconds * 1000;
  },
  clean: async () => undefined,
});
