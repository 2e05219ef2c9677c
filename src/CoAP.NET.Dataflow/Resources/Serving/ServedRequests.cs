namespace CoAP.NET.Resources;

/// <summary>
/// The requests that an endpoint is serving: how many, whether one more may begin, and when none is left. Shared by the blocks of all
/// shards; takes no lock. Each shard counts for itself, as one number that all processors write would cost more than a stage; only when
/// many are served it looks at the others.
/// </summary>
internal sealed class ServedRequests : IDisposable
{
    private const int Stride = 32;

    private readonly CancellationTokenSource _aborted = new();
    private readonly int _max;

    // What every shard may have without asking. Little, as the others have to leave it free; of a single one half, up to which a source may
    // have all of them.
    private readonly int _share;

    // One for each shard, a cache line and its neighbour apart.
    private readonly int[] _counts;
    private TaskCompletionSource? _idle;
    private TaskCompletionSource? _answered;
    private int _letGo;
    private int _slowThreads;
    private volatile bool _stopping;

    /// <param name="max">How many may be served at a time.</param>
    /// <param name="shardCount">How many shards there are.</param>
    public ServedRequests(int max, int shardCount = 1)
    {
        _max = max;
        _share = shardCount == 1 ? max / 2 : Math.Min(64, max / (8 * shardCount));
        _counts = new int[(shardCount + 1) * Stride];
        Shares = new ServedShares(max);
    }

    /// <summary>How many of them belong to which source.</summary>
    public ServedShares Shares { get; }

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

    /// <summary>Whether new requests are refused because the endpoint stops.</summary>
    public bool IsStopping => _stopping;

    /// <summary>Cancelled when nobody waits for answers any more.</summary>
    public CancellationToken Aborted => _aborted.Token;

    /// <summary>From now on new requests are refused; those that run go on.</summary>
    public void Stop() => _stopping = true;

    /// <summary>
    /// Asks the handlers that still run to give up. Runs their cancellation callbacks, so it must be called without a lock.
    /// </summary>
    /// <exception cref="AggregateException">A callback of a handler failed.</exception>
    public void Abort()
    {
        _stopping = true;
        _aborted.Cancel();
    }

    /// <summary>How many more there are for what ends something that is under way.</summary>
    public static int BeyondOf(int max) => (max / 8) + 1;

    /// <summary>Counts a request in, unless the bound is reached or the endpoint stops.</summary>
    /// <param name="shard">The shard that owns its peer.</param>
    /// <param name="free">How many places were free, at least; <see cref="long.MaxValue"/> while there are so many that nobody
    /// asks.</param>
    public bool TryEnter(int shard, out long free)
    {
        free = Interlocked.Increment(ref _counts[(shard + 1) * Stride]) <= _share ? long.MaxValue : FreeBefore();
        return Enters(shard, free);
    }

    /// <summary>
    /// Counts in what is no new request but the end of something that is under way, when the bound is reached: refusing it wastes what came
    /// before. There is an eighth more for it, as anybody can begin much.
    /// </summary>
    /// <param name="shard">See <see cref="TryEnter"/>.</param>
    /// <param name="isOurs">Whether no peer asked for it: a run for observers, of which there is one at a time for what they
    /// observe.</param>
    /// <param name="free">See <see cref="TryEnter"/>.</param>
    public bool TryEnterBeyond(int shard, bool isOurs, out long free)
    {
        Interlocked.Increment(ref _counts[(shard + 1) * Stride]);
        free = isOurs ? long.MaxValue : _max + 1L + BeyondOf(_max) - Count;
        return Enters(shard, free);
    }

    /// <summary>Counts a request out.</summary>
    /// <param name="shard">See <see cref="TryEnter"/>.</param>
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

    /// <summary>Counts requests that were answered because the endpoint stopped while their handlers go on.</summary>
    /// <param name="change">How many more, or fewer.</param>
    public void LetGo(int change) => Interlocked.Add(ref _letGo, change);

    /// <summary>
    /// A task that ends when each request that is served has its answer. Meant for after <see cref="Abort"/>, when those whose handlers
    /// await were answered: a handler that is in its synchronous part is noticed when it first awaits or returns.
    /// </summary>
    public Task WhenAnsweredAsync()
    {
        Interlocked.CompareExchange(ref _answered, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously), null);
        SettleIfAnswered();
        return _answered.Task;
    }

    /// <summary>Ends <see cref="WhenAnsweredAsync"/> when nothing lacks its answer. Called after what may change that.</summary>
    public void SettleIfAnswered()
    {
        // A request that ends is no longer let go before it is no longer served: meanwhile it looks unanswered, and its end looks again.
        if (Volatile.Read(ref _answered) is { } answered && Count <= Volatile.Read(ref _letGo))
        {
            answered.TrySetResult();
        }
    }

    private bool Enters(int shard, long free)
    {
        if (free > 0 && !_stopping)
        {
            return true;
        }

        Exit(shard);
        return false;
    }

    // Before the one that was just counted. The others' shares count as used, as they may be used at any moment.
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
    /// A task that ends at the first moment from now on at which no request is served. Meant for after <see cref="Stop"/>.
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

    public bool TryTakeSlowThread()
    {
        if (Interlocked.Increment(ref _slowThreads) <= UserCodePolicy.MaxSlowThreads)
        {
            return true;
        }

        Interlocked.Decrement(ref _slowThreads);
        return false;
    }

    public void GiveSlowThreadBack() => Interlocked.Decrement(ref _slowThreads);

    public void Dispose() => _aborted.Dispose();
}
