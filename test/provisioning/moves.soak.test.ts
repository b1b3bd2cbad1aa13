// On the DynamoDB engine.
import './moves.test.ts';
