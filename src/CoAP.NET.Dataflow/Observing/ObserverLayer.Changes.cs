using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

// What changes, and the runs of handlers that it leads to: RFC 7641 section 4.2.
internal sealed partial class ObserverLayer
{
    private static readonly CoapMessage s_gone = new(CoapCode.NotFound);
    private static readonly CoapMessage s_otherFormat = new(CoapCode.NotAcceptable);

    // How long a run is waited for. After that, and only if there is something new, another one is begun: a block that a user linked in may have lost it.
    private static readonly long s_runPatience = TimeSpan.FromMinutes(5).Ticks;

    /// <summary>Everything that a route serves may have changed.</summary>
    public void Changed(ObservedRoute route) => Mark(_byRoute, route);

    /// <summary>The resource of a path may have changed.</summary>
    /// <returns>How many observe it here.</returns>
    public int Changed(string path) => Mark(_byPath, path);

    /// <summary>How many observe a path here.</summary>
    public int CountAt(string path)
    {
        lock (_shard.Gate)
        {
            return _byPath.TryGetValue(path, out HashSet<Subject>? subjects) ? subjects.Sum(static subject => subject.Observers.Count) : 0;
        }
    }

    /// <summary>A route was removed: its observers get 4.04 and are forgotten.</summary>
    public void Gone(ObservedRoute route)
    {
        _shard.Enter();
        try
        {
            if (_byRoute.TryGetValue(route, out HashSet<Subject>? subjects))
            {
                foreach (Subject subject in subjects.ToArray())
                {
                    EndAll(subject, s_gone);
                }
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Wants the handler of a subject to run. Under the lock.</summary>
    public void WantRun(Subject subject, long now)
    {
        if (subject.IsGone || subject.IsQueued)
        {
            return;
        }

        if (subject.IsRunning && now - subject.StartedAt < s_runPatience)
        {
            subject.RunsAgain = true;
            return;
        }

        subject.IsQueued = true;
        QueueJob(subject, now);
    }

    /// <summary>A run came back with an answer that may go out: a sequence number for it.</summary>
    /// <returns>Whether anybody still wants it.</returns>
    public bool TryNumber(SubjectRun run, out uint number)
    {
        number = 0;
        _shard.Enter();
        try
        {
            if (!IsCurrent(run))
            {
                return false;
            }

            number = run.Subject.NextNumber(_shard.Environment.Now, _clock);
            return true;
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>A run was refused for lack of room in this very server: no answer of the resource. It is tried again.</summary>
    public void Postpone(SubjectRun run)
    {
        _shard.Enter();
        try
        {
            if (IsCurrent(run))
            {
                run.Subject.IsRunning = false;
                _shard.Wheel.Schedule(run.Subject, _shard.Environment.Now + (Math.Max(1, _limits.BusyMaxAge) * TimeSpan.TicksPerSecond));
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>A run came back: its answer goes to all observers of the subject, each as soon as its turn comes.</summary>
    /// <param name="run">The run.</param>
    /// <param name="response">The notification but for its token; an error ends all these observations (RFC 7641 section 4.2).</param>
    public void Publish(SubjectRun run, CoapMessage response)
    {
        _shard.Enter();
        try
        {
            if (!IsCurrent(run))
            {
                return;
            }

            Subject subject = run.Subject;
            subject.IsRunning = false;
            subject.Completed = run.Number;
            if (!response.Code.IsSuccess)
            {
                EndAll(subject, response);
                return;
            }

            PreparedNotification latest = new(response, run);
            subject.Latest = latest;
            long now = _shard.Environment.Now;
            for (int i = subject.Reachable - 1; i >= 0; i--)
            {
                Show(subject.Observers[i], latest, now);
            }

            if (subject.RunsAgain)
            {
                subject.RunsAgain = false;
                if (subject.HasIdle || subject.Asked > subject.Completed)
                {
                    WantRun(subject, now);
                }
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    private void Show(Observer observer, PreparedNotification latest, long now)
    {
        if (!TryKeepFormat(observer, latest))
        {
            return;
        }

        if (latest.Number <= observer.SentRun || (latest.Change <= observer.Seen && !observer.NeedsRefresh))
        {
            return;
        }

        if (observer.IsOutstanding)
        {
            // It gets the newest state with the next copy, or after the acknowledgement.
            return;
        }

        if (!observer.IsWaiting)
        {
            Wait(observer, now);
            observer.Ask = latest.Number;
        }
        else
        {
            QueuePeer(observer.Peer, now);
        }
    }

    /// <summary>Ends an observation whose resource has another Content-Format now.</summary>
    private bool TryKeepFormat(Observer observer, PreparedNotification latest)
    {
        if (latest.Format != observer.Format && latest.Format != PreparedNotification.AnyFormat)
        {
            if (observer.Format != PreparedNotification.AnyFormat)
            {
                // RFC 7641 section 4.2: what was registered for one format is never continued in another.
                End(observer, s_otherFormat);
                return false;
            }

            observer.Format = latest.Format;
        }

        return true;
    }

    private int Mark<TKey>(Dictionary<TKey, HashSet<Subject>> index, TKey key)
        where TKey : notnull
    {
        int observers = 0;
        _shard.Enter();
        try
        {
            if (index.TryGetValue(key, out HashSet<Subject>? subjects))
            {
                long now = _shard.Environment.Now;
                foreach (Subject subject in subjects)
                {
                    subject.Change++;
                    observers += subject.Observers.Count;

                    // Whoever is being sent something asks by itself when it is ready for more: so changes that nobody could be told of cost no run.
                    if (subject.HasIdle)
                    {
                        WantRun(subject, now);
                    }
                }
            }
        }
        finally
        {
            _shard.Exit();
        }

        return observers;
    }

    private CoapExchange? BeginRun(Subject subject, long now)
    {
        subject.IsQueued = false;
        RekeyFirst(subject, now);
        if (subject.IsGone)
        {
            return null;
        }

        if (subject.NextNumberAt(now) is var free && free > now)
        {
            _shard.Wheel.Schedule(subject, free);
            return null;
        }

        subject.IsRunning = true;
        subject.RunsAgain = false;
        subject.StartedAt = now;
        subject.Started++;
        CoapChannel channel = subject.Observers[0].Channel;
        CoapMessage request = new(subject.Key.Code, subject.Key.Options!) { Payload = subject.Key.Payload, Token = new CoapToken(new byte[subject.TokenLength]) };
        return new CoapExchange(channel, null, new CoapRequest(request) { Channel = channel, IsForObservers = true })
        {
            Special = subject.Special,
            Observing = new SubjectRun(subject, subject.Started, subject.Change),
        };
    }

    private static bool IsCurrent(SubjectRun run) => !run.Subject.IsGone && run.Subject.IsRunning && run.Number == run.Subject.Started;

    private void EndAll(Subject subject, CoapMessage message)
    {
        for (int i = subject.Observers.Count - 1; i >= 0; i--)
        {
            End(subject.Observers[i], message);
        }
    }

    /// <summary>Tells an observer an error, without Observe, and forgets it. The message is Confirmable, and on its own from here.</summary>
    private void End(Observer observer, CoapMessage message)
    {
        RemoveLocked(
            observer,
            ReferenceEquals(message, s_gone) ? CoapObserverEnd.Unmapped : ReferenceEquals(message, _noRoom) ? CoapObserverEnd.Replaced : CoapObserverEnd.Failed);
        CoapMessage last = message.HasOptions ? new CoapMessage(message.Code, message.OptionsToRead!) : new CoapMessage(message.Code);
        last.Token = observer.Token;
        last.Payload = message.Payload;
        _counters.Add(CoapCounter.NotificationsSent);
        _shard.Send(new CoapTransmission(observer.Channel, last, null) { IsLimited = true });
    }
}
