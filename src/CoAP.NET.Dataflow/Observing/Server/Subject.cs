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
    public ObserveSettings Settings { get; set; }

    /// <summary>The other special options of the request.</summary>
    public SpecialOptions Special { get; }

    /// <summary>Its observers. Stalled ones come last, so that they cost the others nothing.</summary>
    public List<Observer> Observers { get; } = [];

    /// <summary>The number of its observers that are not stalled.</summary>
    public int Reachable { get; private set; }

    /// <summary>The length in bytes of the longest token of an observer so far, which notifications reserve.</summary>
    public int TokenLength { get; private set; }

    /// <summary>The number of its busy observers, which get a notification or wait for one.</summary>
    public int Busy { get; set; }

    public bool HasIdle => Busy < Observers.Count;

    /// <summary>The number of reported changes.</summary>
    public long Change { get; set; }

    /// <summary>The result of the last run; null before the first.</summary>
    public PreparedNotification? Latest { get; set; }

    /// <summary>The number of the last started run.</summary>
    public long Started { get; set; }

    /// <summary>The number of the last completed run.</summary>
    public long Completed { get; set; }

    public long StartedAt { get; set; }

    public bool IsRunning { get; set; }

    /// <summary>Whether another run is needed after the current one.</summary>
    public bool RunsAgain { get; set; }

    /// <summary>The last run that an observer waits for.</summary>
    public long Asked { get; set; }

    /// <summary>Whether it is in the jobs of its shard.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Whether the last observer left, so that it can no longer be found.</summary>
    public bool IsGone { get; set; }

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
