-- The trades of a company in lots of at most 1500 pieces: the condition of a row reads the match before it.
SELECT *
FROM trades MATCH_RECOGNIZE (
  PARTITION BY name ORDER BY time
  MEASURES FIRST(time) AS begins, COUNT(*) AS trades, SUM(volume) AS pieces
  PATTERN (lot+)
  DEFINE lot AS SUM(volume) <= 1500
)
