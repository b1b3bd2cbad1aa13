// On the DynamoDB engine.
import './long-deletions.test.ts';
