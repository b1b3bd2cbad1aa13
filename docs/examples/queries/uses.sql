SELECT subject.type, subject.id, count(*) AS uses, max("timestamp") AS last
FROM decisions
WHERE decision AND action.name = 'roster'
  AND "timestamp" > to_iso8601(current_timestamp - interval '90' day)
GROUP BY 1, 2;
