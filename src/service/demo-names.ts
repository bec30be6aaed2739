// Names by which the service and the command line find the demo. BisectOptions from the demo itself, so that the command line need
// not load a database driver to know them.

/** In the data folder. */
export const DEMO_FILE = 'demo.json';

/** The channel that `postrider demo-smpp` makes. */
export const DEMO_SMPP_NAME = 'Demo over SMPP';
