import './dry-run.test.ts';
