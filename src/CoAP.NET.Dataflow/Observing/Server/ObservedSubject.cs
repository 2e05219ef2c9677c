using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// An observed subject: one registration request, and all observers with it (RFC 7641 section 1.2). After a change its handler runs once
/// for all of them (section 4.2). The timer is for a run that has to be repeated. Guarded by the shard's lock.
/// </summary>
/// <remarks>
/// <see cref="State"/> says where its runs are, <see cref="Become"/> makes each transition, and <see cref="MayFollow"/> is the table of
/// them; docs/life-of-an-observation.md has it with the states.
/// </remarks>
internal sealed class ObservedSubject : WheelTimer
{
    // RFC 7641 section 4.4: fewer than 2^23 in 256 s. Such a period overlaps at most three of these windows.
    private const int NumbersPerWindow = 1 << 21;
    private const long Window = 128 * TimeSpan.TicksPerSecond;

    // How long to wait for a run. After that, and only if there is something new, another one starts: a block that a user linked in may
    // have lost it.
    private static readonly long s_maxRunTime = TimeSpan.FromMinutes(5).Ticks;

    private readonly ObserverTable _table;
    private long _sequence;
    private long _windowStart;
    private int _inWindow;
    private int _busy;
    private int _tokenLength;
    private long _startedAt;

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

    /// <summary>The progress of its runs. <see cref="Notification.IsLate"/> reads it without the lock.</summary>
    public SubjectState State { get; private set; }

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

    /// <summary>The number of the last completed run; 0 before the first.</summary>
    public long Completed => Latest?.Number ?? 0;

    public bool IsRunning => State is SubjectState.Running or SubjectState.RunsAgain;

    public bool IsGone => State == SubjectState.Gone;

    /// <summary>Whether an observer neither gets a notification nor waits for one.</summary>
    public bool HasIdle => _busy < Observers.Count;

    /// <summary>Returns whether a subject can become another state: the table of its transitions.</summary>
    public static bool MayFollow(SubjectState next, SubjectState before) => next switch
    {
        SubjectState.Idle => before is SubjectState.Queued or SubjectState.Running or SubjectState.RunsAgain,
        SubjectState.Queued => before is SubjectState.Idle or SubjectState.Running or SubjectState.RunsAgain,
        SubjectState.Running => before is SubjectState.Queued,
        SubjectState.RunsAgain => before is SubjectState.Running,
        SubjectState.Gone => before is not SubjectState.Gone,
        _ => false,
    };

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

    /// <summary>Requests a run of the handler that starts from now on, unless one is requested already.</summary>
    public void RequestRun(long now)
    {
        bool isUnderWay = IsRunning && now - _startedAt < s_maxRunTime;
        if (isUnderWay && State == SubjectState.Running)
        {
            Become(SubjectState.RunsAgain);
        }
        else if (!isUnderWay && State is not (SubjectState.Queued or SubjectState.Gone))
        {
            Become(SubjectState.Queued);
            _table.Queue.Add(this, now);
        }
    }

    /// <summary>Requests a run, for which an observer waits.</summary>
    /// <returns>Its number.</returns>
    public long AwaitRun(long now)
    {
        _awaited = Started + 1;
        RequestRun(now);
        return _awaited;
    }

    /// <summary>Starts a queued run.</summary>
    /// <returns>The request to serve; null if there is nothing to run, or not yet.</returns>
    public CoapExchange? BeginRun(long now)
    {
        MoveObserversOfOtherSize(now);
        if (IsGone)
        {
            return null;
        }

        CoapChannel channel = Observers[0].Channel;

        // On connections the order is that of arrival (RFC 8323 section 7.1).
        if (!channel.IsReliable && _inWindow >= NumbersPerWindow && now - _windowStart < Window)
        {
            Become(SubjectState.Idle);
            Shard.Wheel.Schedule(this, _windowStart + Window);
            return null;
        }

        CoapMessage request = new(Key.Code, Key.Options!) { Payload = Key.Payload, Token = new CoapToken(new byte[_tokenLength]) };
        Become(SubjectState.Running);
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
            Become(SubjectState.Idle);
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

        if (!response.Code.IsSuccess || response.OptionsToRead?.Contains(OptionNumber.Observe) != true)
        {
            EndAll(response, CoapObserverEnd.Failed);
            return;
        }

        bool isRequested = State == SubjectState.RunsAgain;
        Become(SubjectState.Idle);
        run.SetResult(response);
        Latest = run;
        _table.Queue.Suspend();
        long now = Shard.Environment.Now;
        for (int i = Reachable - 1; i >= 0; i--)
        {
            Observers[i].OnLatest(run, now);
        }

        // Another run was requested during this one, and a waiting observer or caller needs it.
        if (isRequested && (HasIdle || _awaited > Completed))
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

    /// <summary>Handles the new state of an observer. Stalled observers go behind the others.</summary>
    public void OnState(Observer observer, bool wasBusy)
    {
        _busy += (observer.IsBusy ? 1 : 0) - (wasBusy ? 1 : 0);
        if (observer.IsStalled != (observer.Index >= Reachable))
        {
            Swap(observer, observer.IsStalled ? --Reachable : Reachable++);
        }
    }

    public void Add(Observer observer)
    {
        observer.Index = Observers.Count;
        Observers.Add(observer);
        OnState(observer, wasBusy: false);

        // Notifications reserve room for the longest token so far.
        _tokenLength = Math.Max(_tokenLength, observer.Token.Length);
    }

    public void Remove(Observer observer)
    {
        _busy -= observer.IsBusy ? 1 : 0;
        if (observer.Index < Reachable)
        {
            Swap(observer, --Reachable);
        }

        Swap(observer, Observers.Count - 1);
        Observers.RemoveAt(Observers.Count - 1);
        if (Observers.Count == 0)
        {
            Become(SubjectState.Gone);
            _table.Subjects.Remove(this);
        }
    }

    private void Become(SubjectState next)
    {
        State = MayFollow(next, State) ? next
            : throw new InvalidOperationException($"An observed subject that is {State} cannot become {next}.");
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
