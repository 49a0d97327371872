"""Owners, bots, tokens and ladders: what goes beyond one match.

How the composition root wires it (`redis` is a `redisio.connection.Redis`, `queue` a `workers.queue.JobQueue`):

    accounts = Accounts(RedisAccountStore(redis), pepper, {name: bot.version for name, bot in HOUSE_BOTS.items()},
                        by_invitation=..., admin_token=...)
    idempotency = Idempotency(RedisIdempotencyStore(redis), pepper)
    ladders = Ladders(RedisLadderStore(redis), accounts, Fitness(RedisHealthStore(redis), start_ms))
    groups = Groups(RedisGroupStore(redis), referee)
    rounds = Rounds(ladders, referee, groups, queue.wake_round, queue.start_due, running=index.running)
    ratings = RatingBook(RedisRatingStore(redis), queue.wake_ratings)
    feed = Feed(referee, index, groups, ended=[rounds.on_ended],
                readers=[ladders.fitness.on_readable, rounds.on_readable, …])

    every process that commits   whoever handles `index` entries gives `feed` the matches
    the API                      accounts, idempotency, ladders; `rounds.start` and `rounds.dry_run`
    the clock                    DeadlineLoop(referee, {"index": feed, "house": HouseRelay(store, queue.play_house)},
                                              rounds.tick, tick_ms=..., settle_ms=...).run(stop)
    the worker                   run_worker(WorkerServices(referee, rounds, ratings, queue)), in the main thread
"""
