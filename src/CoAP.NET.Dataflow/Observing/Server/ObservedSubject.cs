using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// An observed subject: one registration request, and all observers with it (RFC 7641 section 1.2). After a change its handler runs once
/// for all of them (section 4.2). The timer is for a run that has to be repeated. Guarded by the shard's lock.
/// </summary>
internal sealed class ObservedSubject : WheelTimer
{
    // RFC 7641 section 4.4: fewer than 2^23 in 256 s. Such a period overlaps at most three of these windows.
    private const int NumbersPerWindow = 1 << 21;
    private const long Window = 128 * TimeSpan.TicksPerSecond;

    // How long to wait for a run. After that, and only if there is something new, another one starts: a block that a user linked in may
    // have lost it.
    private static readonly long s_patience = TimeSpan.FromMinutes(5).Ticks;

    private readonly ObserverTable _table;
    private long _sequence;
    private long _windowStart;
    private int _inWindow;
    private int _busy;
    private int _tokenLength;
    private long _startedAt;
    private bool _isQueued;
    private bool _runsAgain;

    // The last run that an observer waits for.
    private long _awaited;

    public ObservedSubject(
        ObserverTable table, ObservedSubjectKey key, PendingObserverRegistration registration, RequestOptionFlags special, long now)
    {
        _table = table;
        Key = key;
        Route = registration.Route;
        Path = registration.Path;
        Settings = registration.Settings;
        Special = special;
        _windowStart = now;
    }

    public CoapShard Shard => _table.Shard;

    public ObservedSubjectKey Key { get; }

    public ObservedRoute Route { get; }

    public string Path { get; }

    /// <summary>The settings of the route, of the newest registration.</summary>
    public RouteObserveSettings Settings { get; set; }

    public RequestOptionFlags Special { get; }

    /// <summary>Its observers. Stalled ones come last, so that they cost the others nothing.</summary>
    public List<Observer> Observers { get; } = [];

    /// <summary>The number of its observers that are not stalled.</summary>
    public int Reachable { get; private set; }

    /// <summary>The number of reported changes.</summary>
    public long Change { get; private set; }

    /// <summary>The result of the last run; null before the first.</summary>
    public Notification? Latest { get; private set; }

    /// <summary>The number of the last started run.</summary>
    public long Started { get; private set; }

    /// <summary>The number of the last completed run.</summary>
    public long Completed { get; private set; }

    public bool IsRunning { get; private set; }

    /// <summary>Whether the last observer left, so that it can no longer be found.</summary>
    public bool IsGone { get; private set; }

    // Not all observers get a notification or wait for one.
    private bool HasIdle => _busy < Observers.Count;

    /// <summary>Handles a possible change of the resource.</summary>
    /// <returns>The number of its observers.</returns>
    public int OnChanged(long now)
    {
        Change++;

        // A busy observer requests the state itself when it is ready for more: changes that reach no observer therefore cost no run.
        if (HasIdle)
        {
            RequestRun(now);
        }

        return Observers.Count;
    }

    /// <summary>Requests a run of the handler, unless one is queued already.</summary>
    public void RequestRun(long now)
    {
        if (IsGone || _isQueued)
        {
            return;
        }

        if (IsRunning && now - _startedAt < s_patience)
        {
            _runsAgain = true;
            return;
        }

        _isQueued = true;
        _table.Queue.Add(this, now);
    }

    /// <summary>Returns the number of the next run, for which an observer waits.</summary>
    public long AwaitRun()
    {
        _awaited = Math.Max(_awaited, Started + 1);
        return Started + 1;
    }

    /// <summary>Starts a queued run.</summary>
    /// <returns>The request to serve; null if there is nothing to run, or not yet.</returns>
    public CoapExchange? BeginRun(long now)
    {
        _isQueued = false;
        MoveObserversOfOtherSize(now);
        if (IsGone)
        {
            return null;
        }

        CoapChannel channel = Observers[0].Channel;

        // On connections the order is that of arrival (RFC 8323 section 7.1).
        if (!channel.IsReliable && _inWindow >= NumbersPerWindow && now - _windowStart < Window)
        {
            Shard.Wheel.Schedule(this, _windowStart + Window);
            return null;
        }

        CoapMessage request = new(Key.Code, Key.Options!) { Payload = Key.Payload, Token = new CoapToken(new byte[_tokenLength]) };
        IsRunning = true;
        _runsAgain = false;
        _startedAt = now;
        Started++;
        return new CoapExchange(channel, null, new CoapRequestContext(request, channel) { IsForObservers = true })
        {
            Special = Special,
            Observing = new Notification(this, Started, Change, NextNumber(now)),
        };
    }

    /// <summary>Schedules another attempt of a run that this server refused for lack of room.</summary>
    public void Postpone(Notification run)
    {
        if (!run.IsLate)
        {
            IsRunning = false;
            Shard.Wheel.Schedule(this,
                Shard.Environment.Now + (Math.Max(1, Shard.Environment.Limits.Requests.BusyMaxAge) * TimeSpan.TicksPerSecond));
        }
    }

    /// <summary>Handles the result of a run: it goes to all observers, each as soon as its turn comes.</summary>
    /// <param name="run">The run.</param>
    /// <param name="response">
    /// The notification except its token. An error ends all these observations (RFC 7641 section 4.2), and so does a response without
    /// Observe option.
    /// </param>
    public void Publish(Notification run, CoapMessage response)
    {
        if (run.IsLate)
        {
            Shard.Environment.Counters.Add(CoapCounter.LateResponses);
            return;
        }

        IsRunning = false;
        Completed = run.Number;
        if (!response.Code.IsSuccess || response.OptionsToRead?.Contains(OptionNumber.Observe) != true)
        {
            EndAll(response, CoapObserverEnd.Failed);
            return;
        }

        run.SetResult(response);
        Latest = run;
        _table.Queue.Suspend();
        long now = Shard.Environment.Now;
        for (int i = Reachable - 1; i >= 0; i--)
        {
            Observers[i].OnLatest(run, now);
        }

        // Another run was requested during this one, and somebody needs it.
        bool runsAgain = _runsAgain && (HasIdle || _awaited > Completed);
        _runsAgain = false;
        if (runsAgain)
        {
            RequestRun(now);
        }

        _table.Queue.Resume(now);
    }

    /// <summary>Moves each observer to a subject of its client alone. Nothing is left here.</summary>
    public void Split(long now)
    {
        while (!IsGone)
        {
            Observers[0].LeaveShared(now);
        }
    }

    /// <summary>Ends all its observations with a last response.</summary>
    public void EndAll(CoapMessage message, CoapObserverEnd end)
    {
        for (int i = Observers.Count - 1; i >= 0; i--)
        {
            Observers[i].End(message, end);
        }
    }

    /// <summary>
    /// Returns the next sequence number, above all earlier ones (RFC 7641 section 4.4). Never below the clock, which counts at the maximum
    /// rate: numbers of other subjects of the same resource, such as a removed one or one with another entity-tag, and of earlier
    /// processes, are therefore older too. Clock and windows together use fewer than 2^23 in 256 s.
    /// </summary>
    public uint NextNumber(long now)
    {
        if (now - _windowStart >= Window)
        {
            _windowStart = now;
            _inWindow = 0;
        }

        _inWindow++;
        _sequence = Math.Max(_sequence, _table.Clock.At(now)) + 1;
        return (uint)_sequence & ObserveOption.MaxValue;
    }

    /// <summary>
    /// Skips numbers so that the next ones are newer than those of any other process, including one with a shorter run time.
    /// </summary>
    /// <param name="sequence">The number to skip to; not reduced to 24 bits.</param>
    public void SkipTo(long sequence) => _sequence = Math.Max(_sequence, sequence);

    /// <summary>Counts one busy observer more or less: one that gets a notification or waits for one.</summary>
    public void CountBusy(bool isBusy) => _busy += isBusy ? 1 : -1;

    public void Add(Observer observer)
    {
        observer.Index = Observers.Count;
        Observers.Add(observer);
        Swap(observer, Reachable++);

        // Notifications reserve room for the longest token so far.
        _tokenLength = Math.Max(_tokenLength, observer.Token.Length);
    }

    public void Remove(Observer observer)
    {
        if (observer.Index < Reachable)
        {
            Swap(observer, --Reachable);
        }

        Swap(observer, Observers.Count - 1);
        Observers.RemoveAt(Observers.Count - 1);
        if (Observers.Count == 0)
        {
            IsGone = true;
            _table.Subjects.Remove(this);
        }
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

    // The sizes of a run are those of the first observer's peer.
    private void MoveObserversOfOtherSize(long now)
    {
        while (!IsGone && Observers[0] is var first && !Key.Fits(first.Channel))
        {
            first.FollowSize(now);
            if (!first.IsOutstanding)
            {
                first.Enqueue(now);
            }
        }
    }

    internal override void Fire(long now) => RequestRun(now);
}
