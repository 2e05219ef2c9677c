using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// What is observed: one registration request, and all observers that made it (RFC 7641 section 1.2). Its handler runs once for all of them.
/// The timer is for a run that has to be tried again. Guarded by the shard's lock.
/// </summary>
internal sealed class Subject : WheelTimer
{
    // RFC 7641 section 4.4: fewer than 2^23 in 256 s. Such a stretch meets three of these windows at most.
    private const int NumbersPerWindow = 1 << 21;
    private const long Window = 128 * TimeSpan.TicksPerSecond;

    // By the clock at the highest rate, so that a subject that is made anew begins above where it was before, and a client that comes back is not told old numbers.
    private const long StartPerSecond = NumbersPerWindow / 128;

    private readonly ObserverLayer _layer;
    private uint _sequence;
    private long _windowStart;
    private int _inWindow;

    public Subject(ObserverLayer layer, SubjectKey key, ObservableResource resource, SpecialOptions special, long now)
    {
        _layer = layer;
        Key = key;
        Route = resource.Route;
        Path = resource.Path;
        Settings = resource.Settings;
        Special = special;
        (long seconds, long ticks) = Math.DivRem(now, TimeSpan.TicksPerSecond);
        _sequence = (uint)((seconds * StartPerSecond) + (ticks * StartPerSecond / TimeSpan.TicksPerSecond)) & Observe.MaxValue;
        _windowStart = now;
    }

    public SubjectKey Key { get; }

    public ObservedRoute Route { get; }

    public string Path { get; }

    /// <summary>What the route said last.</summary>
    public ObserveSettings Settings { get; set; }

    /// <summary>What the request asks for beside observing.</summary>
    public SpecialOptions Special { get; }

    public List<Observer> Observers { get; } = [];

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

    /// <summary>When the next sequence number may be taken by a run; not after now when it may be.</summary>
    public long NextNumberAt(long now) => _inWindow < NumbersPerWindow || now - _windowStart >= Window ? long.MinValue : _windowStart + Window;

    /// <summary>The next sequence number, above all before it (RFC 7641 section 4.4).</summary>
    public uint NextNumber(long now)
    {
        if (now - _windowStart >= Window)
        {
            _windowStart = now;
            _inWindow = 0;
        }

        _inWindow++;
        _sequence = (_sequence + 1) & Observe.MaxValue;
        return _sequence;
    }

    internal override void Fire(long now) => _layer.WantRun(this, now);
}
