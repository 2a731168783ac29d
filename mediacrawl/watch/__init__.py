"""What a crawl tells its operator: status, progress, metrics, and the facts of a report.

`status` is the file that a running crawl writes each second, `facts` puts state, log, catalogue and frontier together,
`server` shows them over HTTP. Begin reading in `status`.
"""
