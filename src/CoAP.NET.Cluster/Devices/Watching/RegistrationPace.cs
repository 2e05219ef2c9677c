namespace CoAP.NET.Cluster;

/// <summary>
/// Limits registrations at devices per second, and the number of pending ones. New devices go before retries, which get every fourth turn:
/// devices that never answer do not delay others. Thread-safe.
/// </summary>
/// <param name="perSecond">The maximum number of registrations per second.</param>
/// <param name="mostUnderWay">The maximum number of pending registrations.</param>
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

    /// <summary>The number of pending registrations.</summary>
    public int UnderWay { get; private set; }

    /// <summary>The number of waiting registrations.</summary>
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
    /// <param name="isFirst">Whether it is the first attempt.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes with the turn; <see cref="Leave"/> ends the turn.</returns>
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
            // A device that reconnects must not occupy several places.
            lock (_gate)
            {
                place.List?.Remove(place);
            }

            throw;
        }
    }

    /// <summary>Ends a turn: the registration was answered, or abandoned.</summary>
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

        // At the limit, each leaving registration starts the next one.
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
