"""Owners, bots, tokens, ladders and ratings: everything that spans several matches.

The composition root (`kozyr.container`) wires the packages as follows. `redis` is a `redisio.connection.Redis`,
`queue` a `workers.queue.JobQueue`:

    accounts = Accounts(RedisAccountStore(redis), pepper, {name: bot.version for name, bot in HOUSE_BOTS.items()},
                        by_invitation=..., admin_token=...)
    idempotency = Idempotency(RedisIdempotencyStore(redis), pepper)
    ladders = Ladders(RedisLadderStore(redis), accounts, Fitness(RedisHealthStore(redis), start_ms))
    groups = Groups(RedisGroupStore(redis), referee)
    rounds = Rounds(ladders, referee, groups, queue.wake_round, queue.start_due, running=index.running)
    ratings = RatingBook(RedisRatingStore(redis), queue.wake_ratings)
    feed = Feed(referee, index, groups, ended=[rounds.on_ended],
                readers=[ladders.fitness.on_readable, rounds.on_readable, …])

    every process that commits   passes the matches of `index` entries to `feed`
    the API                      accounts, idempotency, ladders; `rounds.start` and `rounds.dry_run`
    the clock                    DeadlineLoop(referee, {"index": feed, "house": HouseRelay(store, queue.play_house)},
                                              rounds.tick, tick_ms=..., settle_ms=...).run(stop)
    the worker                   run_worker(WorkerServices(referee, rounds, ratings, adjusting, queue))
"""
