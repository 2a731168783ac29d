-- The queue, step by step. Each step is one SELECT, whose result has the name that stands above it.
--
-- What must be there:
--   link      id, url, score, depth, hops, kind, parent, via, anchor: every link as it was found. id is any number that
--             no other link has; of two links that are equally good, the one with the smaller id counts. What is not
--             known is NULL, and so is a kind that is neither page nor media.
--   seen_key  key: of every URL that was seen.
--   limits      one row: max_depth, per_site; NULL for no limit.
--   examine   a function: of a URL as it was written, a struct of url (as it is requested; NULL if it is none), site, key
--             (64 bits, as the frontier knows a URL by), kind, and reason (why it may not join; NULL if it may).
--   link_class   a function: of a URL, the name of its link class.
--   first_score  a function: of kind, via, depth and a URL, the score of a URL that has none.
--
-- The same text runs on a cluster. docs/segment.md says which words differ there.

-- name: spelling
-- A link stands on many pages. What is written alike is examined once.
-- Big steps carry numbers only; `best` leads back to the words of the best link.
SELECT
    url AS written,
    max(score) AS score,
    min(depth) AS depth,
    count(*) AS links,
    max_by(id, row(coalesce(score, -1e308), -id)) AS best
FROM link
WHERE url IS NOT NULL
GROUP BY url

-- name: examined
SELECT best, score, depth, links, examine(written) AS found
FROM spelling

-- name: candidate
-- Several spellings are one URL.
SELECT
    found.key AS key,
    max(score) AS score,
    min(depth) AS depth,
    sum(links) AS links,
    max_by(best, row(coalesce(score, -1e308), -best)) AS best
FROM examined
WHERE found.url IS NOT NULL
GROUP BY found.key

-- name: judged
SELECT
    c.best,
    e.found.url AS url,
    e.found.site AS site,
    e.found.kind AS kind,
    coalesce(c.score, first_score(coalesce(l.kind, e.found.kind), l.via, c.depth, e.found.url)) AS score,
    coalesce(c.depth, 0) AS depth,
    c.links,
    CASE
        WHEN EXISTS (SELECT 1 FROM seen_key s WHERE s.key = c.key) THEN 'seen'
        WHEN c.depth > w.max_depth THEN 'depth'
        ELSE e.found.reason
    END AS reason
FROM candidate c
JOIN examined e ON e.best = c.best
LEFT JOIN link l ON l.id = c.best AND c.score IS NULL
CROSS JOIN limits w

-- name: fitting
SELECT best, url, site, kind, score, depth, links
FROM judged
WHERE reason IS NULL

-- name: placed
-- Only if a site may give no more than some.
SELECT best, url, site, kind, score, depth, links
FROM (
    SELECT f.*, row_number() OVER (PARTITION BY site ORDER BY score DESC, url) AS place
    FROM fitting f
) numbered
CROSS JOIN limits w
WHERE coalesce(numbered.place <= w.per_site, true)

-- name: detailed
-- Only if the output has more than URLs.
SELECT
    p.best,
    p.url,
    p.site,
    link_class(p.url) AS link_class,
    coalesce(l.kind, p.kind) AS kind,
    p.score,
    p.depth,
    coalesce(l.hops, 0) AS hops,
    coalesce(l.parent, '') AS parent,
    coalesce(l.via, '') AS via,
    coalesce(l.anchor, '') AS anchor,
    p.links
FROM placed p
JOIN link l ON l.id = p.best

-- name: site_best
SELECT site, max(score) AS score
FROM placed
GROUP BY site

-- name: queue
SELECT *
FROM (
    SELECT d.*, b.score AS site_score
    FROM detailed d
    JOIN site_best b ON b.site = d.site
) sited
ORDER BY site_score DESC, site, score DESC, url
