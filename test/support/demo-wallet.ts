/** The wallet of the demo data that the READMEs ask for. */
export const DEMO_WALLET = '0xB7FF6ddE4bF973341DcB58E169709c5d86A31819';
