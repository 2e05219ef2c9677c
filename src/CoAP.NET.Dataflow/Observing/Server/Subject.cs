using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// What is observed: one registration request, and all observers that made it (RFC 7641 section 1.2). Its handler runs once for all of
/// them. The timer is for a run that has to be tried again. Guarded by the shard's lock.
/// </summary>
internal sealed class Subject : WheelTimer
{
    // RFC 7641 section 4.4: fewer than 2^23 in 256 s. Such a stretch meets three of these windows at most.
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

    /// <summary>What the route said last.</summary>
    public ObserveSettings Settings { get; set; }

    /// <summary>What the request asks for beside observing.</summary>
    public SpecialOptions Special { get; }

    /// <summary>Its observers. Those that take nothing at the moment come last, so that they cost the others nothing.</summary>
    public List<Observer> Observers { get; } = [];

    /// <summary>How many of them are not stalled.</summary>
    public int Reachable { get; private set; }

    /// <summary>The length in bytes of the longest token of an observer so far, for which a notification must have room.</summary>
    public int TokenLength { get; private set; }

    /// <summary>How many of them are sent something or wait for it.</summary>
    public int Busy { get; set; }

    public bool HasIdle => Busy < Observers.Count;

    /// <summary>How often it was said to have changed.</summary>
    public long Change { get; set; }

    /// <summary>The result of the last run; null before the first.</summary>
    public PreparedNotification? Latest { get; set; }

    /// <summary>The number of the last run that was begun.</summary>
    public long Started { get; set; }

    /// <summary>The number of the last run that ended.</summary>
    public long Completed { get; set; }

    public long StartedAt { get; set; }

    public bool IsRunning { get; set; }

    /// <summary>Whether another run is wanted after the one under way.</summary>
    public bool RunsAgain { get; set; }

    /// <summary>The last run that an observer waits for.</summary>
    public long Asked { get; set; }

    /// <summary>Whether it stands among the jobs of its shard.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Whether the last observer left, so that nobody finds it any more.</summary>
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
    /// Whether an observer is looked at when there is something new: not while its connection has no room, after which it asks by itself.
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
    /// When the next sequence number may be taken by a run; not after now when it may be. On connections the order is that of arrival (RFC
    /// 8323 section 7.1).
    /// </summary>
    public long NextNumberAt(long now) =>
        Observers[0].Channel.IsReliable || _inWindow < NumbersPerWindow || now - _windowStart >= Window
            ? long.MinValue
            : _windowStart + Window;

    /// <summary>
    /// The next sequence number, above all before it (RFC 7641 section 4.4). Never below the clock, which counts at the highest rate: so
    /// whatever a client was told before by another subject of the same resource, such as one that is gone or one of a request with another
    /// entity-tag, or by the process before this one, is older by number too. Clock and windows together use fewer than 2^23 in 256 s.
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
    /// Has the next numbers be newer than whatever another process may have said, also one that runs for a shorter time than this one.
    /// </summary>
    /// <param name="sequence">The number that is passed; not reduced to 24 bits.</param>
    public void SkipTo(long sequence) => _sequence = Math.Max(_sequence, sequence);

    internal override void Fire(long now) => _layer.Runs.Want(this, now);
}
