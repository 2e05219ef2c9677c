using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// An observed subject: one registration request, and all observers with it (RFC 7641 section 1.2). Its handler runs once for all of them.
/// The timer is for a run that has to be repeated. Guarded by the shard's lock.
/// </summary>
internal sealed class Subject : WheelTimer
{
    // RFC 7641 section 4.4: fewer than 2^23 in 256 s. Such a period overlaps at most three of these windows.
    private const int NumbersPerWindow = 1 << 21;
    private const long Window = 128 * TimeSpan.TicksPerSecond;

    private readonly ObserverLayer _layer;
    private long _sequence;
    private long _windowStart;
    private int _inWindow;
    private int _busy;
    private long _startedAt;
    private bool _isQueued;
    private bool _runsAgain;

    // The last run that an observer waits for.
    private long _asked;

    public Subject(ObserverLayer layer, SubjectKey key, Registration registration, SpecialOptions special, long now)
    {
        _layer = layer;
        Key = key;
        Route = registration.Route;
        Path = registration.Path;
        Settings = registration.Settings;
        Special = special;
        _windowStart = now;
    }

    public SubjectKey Key { get; }

    public RouteChanges Route { get; }

    public string Path { get; }

    /// <summary>The current settings of the route.</summary>
    public ObserveSettings Settings { get; private set; }

    /// <summary>The other special options of the request.</summary>
    public SpecialOptions Special { get; }

    /// <summary>Its observers. Stalled ones come last, so that they cost the others nothing.</summary>
    public List<Observer> Observers { get; } = [];

    /// <summary>The number of its observers that are not stalled.</summary>
    public int Reachable { get; private set; }

    /// <summary>The length in bytes of the longest token of an observer so far, which notifications reserve.</summary>
    public int TokenLength { get; private set; }

    public bool HasIdle => _busy < Observers.Count;

    /// <summary>The number of reported changes.</summary>
    public long Change { get; private set; }

    /// <summary>The result of the last run; null before the first.</summary>
    public PreparedNotification? Latest { get; private set; }

    /// <summary>The number of the last started run.</summary>
    public long Started { get; private set; }

    /// <summary>The number of the last completed run.</summary>
    public long Completed { get; private set; }

    public bool IsRunning { get; private set; }

    /// <summary>Whether the last observer left, so that it can no longer be found.</summary>
    public bool IsGone { get; private set; }

    /// <summary>Uses the settings of a newer registration.</summary>
    public void Use(ObserveSettings settings) => Settings = settings;

    /// <summary>Counts one busy observer more or less: one that gets a notification or waits for one.</summary>
    public void CountBusy(bool isBusy) => _busy += isBusy ? 1 : -1;

    /// <summary>Records a change of the resource.</summary>
    public void MarkChanged() => Change++;

    /// <summary>Requests a run.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="patience">How long to wait for a running one.</param>
    /// <returns>Whether the caller must queue it: it is neither queued nor running.</returns>
    public bool TryQueueRun(long now, long patience)
    {
        if (IsGone || _isQueued)
        {
            return false;
        }

        if (IsRunning && now - _startedAt < patience)
        {
            _runsAgain = true;
            return false;
        }

        _isQueued = true;
        return true;
    }

    /// <summary>Records that the run left the queue.</summary>
    public void Dequeue() => _isQueued = false;

    /// <summary>Starts a run.</summary>
    public SubjectRun BeginRun(long now, NotificationClock clock)
    {
        IsRunning = true;
        _runsAgain = false;
        _startedAt = now;
        Started++;
        return new SubjectRun(this, Started, Change, NextNumber(now, clock));
    }

    /// <summary>Ends a run without a result.</summary>
    public void GiveUpRun() => IsRunning = false;

    /// <summary>Ends a run that has a result.</summary>
    public void EndRun(SubjectRun run)
    {
        IsRunning = false;
        Completed = run.Number;
    }

    /// <summary>Makes a result the newest state.</summary>
    public void Show(PreparedNotification latest) => Latest = latest;

    /// <summary>Returns once whether another run was requested during the last one, and somebody needs it.</summary>
    public bool TakeNextRun()
    {
        bool runsAgain = _runsAgain && (HasIdle || _asked > Completed);
        _runsAgain = false;
        return runsAgain;
    }

    /// <summary>Returns the number of the next run, for which an observer waits.</summary>
    public long AskForRun()
    {
        _asked = Math.Max(_asked, Started + 1);
        return Started + 1;
    }

    public void Add(Observer observer)
    {
        observer.Index = Observers.Count;
        Observers.Add(observer);
        Swap(observer, Reachable++);
        TokenLength = Math.Max(TokenLength, observer.Token.Length);
    }

    public void Remove(Observer observer)
    {
        if (observer.Index < Reachable)
        {
            Swap(observer, --Reachable);
        }

        Swap(observer, Observers.Count - 1);
        Observers.RemoveAt(Observers.Count - 1);
        IsGone = Observers.Count == 0;
    }

    /// <summary>
    /// Sets whether an observer is skipped for new states: while its connection has no room; it requests the state itself afterwards.
    /// </summary>
    public void SetStalled(Observer observer, bool isStalled)
    {
        if (isStalled != (observer.Index >= Reachable))
        {
            Swap(observer, isStalled ? --Reachable : Reachable++);
        }
    }

    private void Swap(Observer observer, int index)
    {
        Observer other = Observers[index];
        (Observers[observer.Index], Observers[index]) = (other, observer);
        (other.Index, observer.Index) = (observer.Index, index);
    }

    /// <summary>
    /// Returns when a run may take the next sequence number; not after now if it may take one now. On connections the order is that of
    /// arrival (RFC 8323 section 7.1).
    /// </summary>
    public long NextNumberAt(long now) =>
        Observers[0].Channel.IsReliable || _inWindow < NumbersPerWindow || now - _windowStart >= Window
            ? long.MinValue
            : _windowStart + Window;

    /// <summary>
    /// Returns the next sequence number, above all earlier ones (RFC 7641 section 4.4). Never below the clock, which counts at the maximum
    /// rate: numbers of other subjects of the same resource, such as a removed one or one with another entity-tag, and of earlier
    /// processes, are therefore older too. Clock and windows together use fewer than 2^23 in 256 s.
    /// </summary>
    public uint NextNumber(long now, NotificationClock clock)
    {
        if (now - _windowStart >= Window)
        {
            _windowStart = now;
            _inWindow = 0;
        }

        _inWindow++;
        _sequence = Math.Max(_sequence, clock.At(now)) + 1;
        return (uint)_sequence & Observe.MaxValue;
    }

    /// <summary>
    /// Skips numbers so that the next ones are newer than those of any other process, including one with a shorter run time.
    /// </summary>
    /// <param name="sequence">The number to skip to; not reduced to 24 bits.</param>
    public void SkipTo(long sequence) => _sequence = Math.Max(_sequence, sequence);

    internal override void Fire(long now) => _layer.Runs.Want(this, now);
}
