// On the DynamoDB engine.
import './long-deletions.integration.test.ts';
