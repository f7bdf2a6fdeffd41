"""The daemon, in layers. Each knows those below it: `process`, `outlets`, `desk`, `evidence` and `public`, `match`,
`machine`. Every part is handed what it needs."""
