// On the DynamoDB engine.
import './moves.integration.test.ts';
