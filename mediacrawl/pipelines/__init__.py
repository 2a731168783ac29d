"""Item pipelines: what Scrapy calls with each item that a spider yields.

Comes in: an item of any kind that itemadapter knows. Goes out: the same item, for the next pipeline.
Each works alone in any Scrapy project.
"""

from mediacrawl.pipelines.mojibake import MojibakePipeline
from mediacrawl.pipelines.redis_items import RedisItemsPipeline
from mediacrawl.pipelines.store import CataloguePipeline

__all__ = ["CataloguePipeline", "MojibakePipeline", "RedisItemsPipeline"]
