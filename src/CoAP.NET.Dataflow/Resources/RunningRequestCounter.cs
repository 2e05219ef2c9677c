namespace CoAP.NET.Resources;

/// <summary>
/// Counts the running requests of an endpoint: how many there are, whether another one is admitted, and when there are none. The blocks of
/// all shards share it; it takes no lock. Each shard has its own counter, because one number that all processors write would cost more than
/// a stage. It reads the counters of the others only when many requests are running.
/// </summary>
internal sealed class RunningRequestCounter : IDisposable
{
    private const int Stride = 32;

    private readonly CancellationTokenSource _aborted = new();
    private readonly int _max;

    // The places that every shard may use without a check. Few, because the others have to leave them free; half of all for a single shard,
    // because up to half a source may have all of them.
    private readonly int _share;

    // One for each shard, two cache lines apart.
    private readonly int[] _counts;
    private TaskCompletionSource? _idle;
    private TaskCompletionSource? _answered;
    private int _released;
    private volatile bool _stopping;
    private volatile bool _isOver;

    /// <summary>Limits the threads that compute in handlers; null when the application provides the threads.</summary>
    public HandlerThreadLimiter? Threads { get; init; }

    /// <param name="max">The maximum number of running requests.</param>
    /// <param name="shardCount">The number of shards.</param>
    public RunningRequestCounter(int max, int shardCount = 1)
    {
        _max = max;
        _share = shardCount == 1 ? max / 2 : Math.Min(64, max / (8 * shardCount));
        _counts = new int[(shardCount + 1) * Stride];
        Quota = new RunningRequestQuota(max);
    }

    public RunningRequestQuota Quota { get; }

    public int Count
    {
        get
        {
            int count = 0;
            for (int i = Stride; i < _counts.Length; i += Stride)
            {
                count += Volatile.Read(ref _counts[i]);
            }

            return count;
        }
    }

    /// <summary>Cancelled when responses are no longer needed.</summary>
    public CancellationToken Aborted => _aborted.Token;

    /// <summary>From now on only requests that arrived before may start; running ones continue.</summary>
    public void Stop() => _stopping = true;

    /// <summary>
    /// Cancels the handlers that still run, and refuses all further requests. It runs cancellation callbacks, so call it without a lock.
    /// </summary>
    /// <exception cref="AggregateException">A callback of a handler failed.</exception>
    public void Abort()
    {
        _stopping = true;
        _isOver = true;
        _aborted.Cancel();
    }

    /// <summary>Returns the number of additional places for requests that complete something that is running.</summary>
    public static int BeyondOf(int max) => (max / 8) + 1;

    /// <summary>Counts a request in, unless its source has used its share, or all places are taken.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="continues">Whether it completes something that is running.</param>
    /// <param name="isOurs">Whether it is a run for observers, and not a request of a peer.</param>
    /// <param name="busy">The response if there is no room.</param>
    /// <returns>Null if it is admitted; otherwise its response.</returns>
    public CoapResult? Admit(CoapExchange exchange, bool continues, bool isOurs, CoapResult busy)
    {
        CoapChannel channel = exchange.Channel;
        int shard = channel.Shard.Index;
        bool isTooLate = _stopping && (isOurs || exchange.IsLate);
        long free = 0;
        RequestAdmissionVerdict verdict = isTooLate
            ? RequestAdmissionVerdict.Full
            : CheckShare(channel, TryEnter(shard, out free), free, isBeyond: false, isOurs);
        if (verdict != RequestAdmissionVerdict.Enters && continues && !isTooLate)
        {
            verdict = CheckShare(channel, TryEnterBeyond(shard, isOurs, out free), free, isBeyond: true, isOurs);
        }

        if (verdict == RequestAdmissionVerdict.Enters)
        {
            return null;
        }

        CoapCounter counter = verdict == RequestAdmissionVerdict.Full ? CoapCounter.Busy : CoapCounter.RequestsBeyondQuota;
        channel.Shard.Environment.Counters.Add(counter);
        channel.NoteDrop(counter);

        // A client that proves that it receives at its address has its own share.
        return verdict == RequestAdmissionVerdict.Unverified ? CoapResults.FreshnessRequired() : busy;
    }

    /// <summary>Counts a request in, unless the limit is reached or the grace period is over.</summary>
    /// <param name="shard">The shard of its peer.</param>
    /// <param name="free">The minimum number of free places; <see cref="long.MaxValue"/> while there are so many that the number does not
    /// matter.</param>
    public bool TryEnter(int shard, out long free)
    {
        free = Interlocked.Increment(ref _counts[(shard + 1) * Stride]) <= _share ? long.MaxValue : FreeBefore();
        return Enters(shard, free);
    }

    /// <summary>
    /// Counts in a request that completes something that is running, when the limit is reached: refusing it would waste the earlier blocks.
    /// There is an additional eighth for these, because any client can start many.
    /// </summary>
    /// <param name="shard">See <see cref="TryEnter"/>.</param>
    /// <param name="isOurs">Whether it is a run for observers, and not a request of a peer; there is one at a time for each
    /// resource.</param>
    /// <param name="free">See <see cref="TryEnter"/>.</param>
    public bool TryEnterBeyond(int shard, bool isOurs, out long free)
    {
        Interlocked.Increment(ref _counts[(shard + 1) * Stride]);
        free = isOurs ? long.MaxValue : _max + 1L + BeyondOf(_max) - Count;
        return Enters(shard, free);
    }

    /// <summary>Counts a request out.</summary>
    public void Exit(int shard)
    {
        if (Interlocked.Decrement(ref _counts[(shard + 1) * Stride]) == 0 && Volatile.Read(ref _idle) is { } idle && Count == 0)
        {
            idle.TrySetResult();
        }

        if (_stopping)
        {
            SettleIfAnswered();
        }
    }

    /// <summary>Counts requests that were answered because the endpoint stopped while their handlers continue.</summary>
    public void Release(int change) => Interlocked.Add(ref _released, change);

    /// <summary>
    /// Returns a task that completes when each running request has its response. Call it after <see cref="Abort"/>, when requests with
    /// awaiting handlers were answered: a handler in its synchronous part is noticed when it first awaits or returns.
    /// </summary>
    public Task WhenAnsweredAsync()
    {
        Interlocked.CompareExchange(ref _answered, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously), null);
        SettleIfAnswered();
        return _answered.Task;
    }

    /// <summary>
    /// Completes <see cref="WhenAnsweredAsync"/> if all requests have their responses. Called after each possible change.
    /// </summary>
    public void SettleIfAnswered()
    {
        // An ending request leaves _letGo before it leaves Count: meanwhile it looks unanswered, and its end checks again.
        if (Volatile.Read(ref _answered) is { } answered && Count <= Volatile.Read(ref _released))
        {
            answered.TrySetResult();
        }
    }

    private RequestAdmissionVerdict CheckShare(CoapChannel channel, bool hasEntered, long free, bool isBeyond, bool isOurs)
    {
        if (!hasEntered)
        {
            return RequestAdmissionVerdict.Full;
        }

        RequestAdmissionVerdict verdict = isOurs || free == long.MaxValue
            ? RequestAdmissionVerdict.Enters
            : Quota.Look(channel, free, isBeyond, channel.Shard.Environment.Now);
        if (verdict != RequestAdmissionVerdict.Enters)
        {
            Exit(channel.Shard.Index);
        }

        return verdict;
    }

    private bool Enters(int shard, long free)
    {
        if (free > 0 && !_isOver)
        {
            return true;
        }

        Exit(shard);
        return false;
    }

    // Before the request that was just counted. The shares of the others count as used, because they may be used at any moment.
    private long FreeBefore()
    {
        long taken = 0;
        for (int i = Stride; i < _counts.Length; i += Stride)
        {
            taken += Math.Max(_share, Volatile.Read(ref _counts[i]));
        }

        return _max + 1L - taken;
    }

    /// <summary>
    /// Returns a task that completes at the first moment from now on without a running request. Call it after <see cref="Stop"/>.
    /// </summary>
    public Task WhenIdleAsync()
    {
        TaskCompletionSource idle = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource? before = Interlocked.CompareExchange(ref _idle, idle, null);
        if (before is { Task.IsCompleted: true })
        {
            Interlocked.CompareExchange(ref _idle, idle, before);
        }

        idle = Volatile.Read(ref _idle)!;
        if (Count == 0)
        {
            idle.TrySetResult();
        }

        return idle.Task;
    }

    public void Dispose() => _aborted.Dispose();
}
