-- Prices that fall six times or more: each trade, and how much is lost up to it.
SELECT name, time, price, label, falls, lost
FROM trades MATCH_RECOGNIZE (
  PARTITION BY name ORDER BY time
  MEASURES CLASSIFIER() AS label, COUNT(down.*) AS falls, FIRST(price) - price AS lost
  ALL ROWS PER MATCH
  PATTERN (top down{6,})
  DEFINE down AS price < PREV(price)
)
