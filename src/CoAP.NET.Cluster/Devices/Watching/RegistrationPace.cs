namespace CoAP.NET.Cluster;

/// <summary>
/// Lets registrations at devices go out at a pace: so many in a second, and so many under way. Devices that came first go before those that
/// are tried again, which have every fourth turn; so many that never answer keep nobody waiting who does. Thread-safe.
/// </summary>
/// <param name="perSecond">How many begin in a second.</param>
/// <param name="mostUnderWay">How many are under way.</param>
/// <param name="time">The clock.</param>
internal sealed class RegistrationPace(int perSecond, int mostUnderWay, TimeProvider time) : IDisposable
{
    private const int TurnOfOthers = 4;
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(20);

    private readonly Lock _gate = new();
    private readonly LinkedList<TaskCompletionSource> _first = new();
    private readonly LinkedList<TaskCompletionSource> _again = new();
    private ITimer? _timer;
    private bool _isTicking;
    private bool _isDisposed;
    private long _filledAt = time.GetTimestamp();
    private double _tokens = 1;
    private int _turn;

    /// <summary>How many are under way.</summary>
    public int UnderWay { get; private set; }

    /// <summary>How many wait for a turn.</summary>
    public int WaitingCount
    {
        get
        {
            lock (_gate)
            {
                return _first.Count + _again.Count;
            }
        }
    }

    /// <summary>Waits for a turn.</summary>
    /// <param name="isFirst">Whether it is the first time.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that ends with the turn; <see cref="Leave"/> ends that.</returns>
    public async Task EnterAsync(bool isFirst, CancellationToken cancellationToken)
    {
        TaskCompletionSource turn = new(TaskCreationOptions.RunContinuationsAsynchronously);
        LinkedListNode<TaskCompletionSource> place;
        lock (_gate)
        {
            if (_isDisposed)
            {
                throw new OperationCanceledException("The node has left the cluster.");
            }

            place = (isFirst ? _first : _again).AddLast(turn);
            GrantLocked();
        }

        try
        {
            using (cancellationToken.UnsafeRegister(static (turn, token) => ((TaskCompletionSource)turn!).TrySetCanceled(token), turn))
            {
                await turn.Task.ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // A device that comes and goes must not be there as often as it came.
            lock (_gate)
            {
                place.List?.Remove(place);
            }

            throw;
        }
    }

    /// <summary>What had a turn is answered, or given up.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            UnderWay--;
            GrantLocked();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer?.Dispose();
            _timer = null;
            foreach (TaskCompletionSource turn in _first.Concat(_again))
            {
                turn.TrySetCanceled(CancellationToken.None);
            }

            _first.Clear();
            _again.Clear();
        }
    }

    private void GrantLocked()
    {
        if (_isDisposed)
        {
            return;
        }

        long now = time.GetTimestamp();
        double most = Math.Max(1, perSecond * s_tick.TotalSeconds);
        _tokens = Math.Min(most, _tokens + (perSecond * time.GetElapsedTime(_filledAt, now).TotalSeconds));
        _filledAt = now;
        while (_tokens >= 1 && UnderWay < mostUnderWay && TryTakeLocked() is { } turn)
        {
            if (turn.TrySetResult())
            {
                _tokens--;
                UnderWay++;
            }
        }

        // Where the bound is reached, whoever leaves goes on with it.
        bool mustTick = _first.Count + _again.Count > 0 && UnderWay < mostUnderWay;
        if (mustTick && !_isTicking)
        {
            _timer ??= time.CreateTimer(static pace => ((RegistrationPace)pace!).Tick(), this, Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
            TimeSpan wait = TimeSpan.FromSeconds((1 - _tokens) / perSecond);
            _isTicking = true;
            _timer.Change(wait > s_tick ? wait : s_tick, Timeout.InfiniteTimeSpan);
        }
    }

    private TaskCompletionSource? TryTakeLocked()
    {
        bool isTurnOfOthers = _turn % TurnOfOthers == TurnOfOthers - 1;
        _turn++;
        LinkedList<TaskCompletionSource> from = (isTurnOfOthers ? _again : _first) is { Count: > 0 } wanted ? wanted
            : isTurnOfOthers ? _first : _again;
        if (from.First is not { } place)
        {
            return null;
        }

        from.RemoveFirst();
        return place.Value;
    }

    private void Tick()
    {
        lock (_gate)
        {
            _isTicking = false;
            GrantLocked();
        }
    }
}
