SELECT DISTINCT subject.type || ':' || subject.id AS subject, context.tenant, action.name AS permission
FROM decisions
WHERE decision
  AND "timestamp" > to_iso8601(current_timestamp - interval '90' day);
