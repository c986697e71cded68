-- All three companies are bought in a row, in any order, within 20 seconds.
SELECT *
FROM trades MATCH_RECOGNIZE (
  ORDER BY time
  MEASURES ARRAY_AGG(name) AS bought, FIRST(time) AS begins, LAST(time) - FIRST(time) AS took
  PATTERN (PERMUTE(alfa, nord, zeta))
  WITHIN INTERVAL '20' SECOND
  DEFINE alfa AS type = 'BUY' AND name = 'ALFA', nord AS type = 'BUY' AND name = 'NORD',
         zeta AS type = 'BUY' AND name = 'ZETA'
)
