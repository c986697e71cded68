-- The prices of a company fall at least twice, then rise at least twice.
SELECT *
FROM trades MATCH_RECOGNIZE (
  PARTITION BY name ORDER BY time
  MEASURES top.price AS top, LAST(down.price) AS bottom, LAST(up.price) AS after
  PATTERN (top down{2,} up{2,})
  DEFINE down AS price < PREV(price), up AS price > PREV(price)
)
