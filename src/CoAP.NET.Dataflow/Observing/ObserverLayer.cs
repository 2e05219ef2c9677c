using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

// RFC 7641 section 4, for the peers of one shard: who observes what, and what they are sent.
//
// A change only marks. What has to be done for it stands in one list of jobs, which a tick of the shard's clock begins with: to run the handler of a subject
// once for all its observers, and to send a client what waits for it. So nobody who tells of a change runs a handler, and a slow observer finds the newest state.

/// <summary>The list of observers of a shard. Methods take the shard's lock themselves unless they say otherwise.</summary>
internal sealed partial class ObserverLayer
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly ObserverPlaces _places;
    private readonly ObserverNews _news;
    private readonly NotificationClock _clock;
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), Observer> _observers = [];
    private readonly Dictionary<SubjectKey, Subject> _subjects = [];
    private readonly Dictionary<ObservedRoute, HashSet<Subject>> _byRoute = [];
    private readonly Dictionary<string, HashSet<Subject>> _byPath = new(StringComparer.Ordinal);

    public ObserverLayer(CoapShard shard, ObserverPlaces places, int shardCount)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _places = places;
        _news = new ObserverNews(shard);
        _clock = new NotificationClock(shard.Environment);
        _maxNewcomers = Math.Max(MinNewcomers, _limits.NewcomerBytes / BytesOfNewcomer / shardCount);
        _noRoom = new CoapMessage(CoapCode.ServiceUnavailable, new CoapOptionCollection { MaxAge = TimeSpan.FromSeconds(_limits.BusyMaxAge) });
        _jitter = new JitterSequence(shard.Environment.Random.NextUInt64());
        _jobTimer = new JobTimer(this);
        _doJobs = DoJobs;
    }

    /// <summary>How many observers the shard has.</summary>
    public int Count
    {
        get
        {
            lock (_shard.Gate)
            {
                return _observers.Count;
            }
        }
    }

    /// <summary>All observers of the shard, as a list of its own.</summary>
    public List<Observer> All()
    {
        lock (_shard.Gate)
        {
            return [.. _observers.Values];
        }
    }

    /// <summary>Notes an observer whose registration was answered with success, in the place of one with the same token (RFC 7641 section 4.1).</summary>
    /// <param name="exchange">The registration.</param>
    /// <param name="resource">What it observes.</param>
    /// <param name="result">The answer.</param>
    /// <param name="number">The sequence number of the answer.</param>
    /// <returns>The observer; null when a bound is reached, and the answer is that to a plain request.</returns>
    public Observer? Register(CoapExchange exchange, ObservableResource resource, CoapResult result, out uint number)
    {
        CoapChannel channel = exchange.Channel;
        CoapMessage request = exchange.Request.Message;
        SubjectKey key = new(resource.Route, request, channel);
        number = 0;
        _shard.Enter();
        try
        {
            _observers.TryGetValue((channel, request.Token), out Observer? before);
            PeerObservers? peer = channel.ObservingState;
            long now = _shard.Environment.Now;
            bool isCounted = before?.IsCountedBySource ?? false;
            if (channel.IsForgotten || (before is null && (peer?.Count ?? 0) >= _limits.MaxObserversPerPeer))
            {
                _counters.Add(CoapCounter.RegistrationsRefused);
                return null;
            }

            peer ??= new PeerObservers(this, channel);
            peer.MovedAt = now;
            if (before is null && !TryCount(peer, now, out isCounted))
            {
                _counters.Add(CoapCounter.RegistrationsRefused);
                return null;
            }

            Subject subject = GetOrAddSubject(key, resource, exchange, now);
            channel.ObservingState = peer;
            Observer observer = new(this, subject, peer, request.Token)
            {
                Format = PreparedNotification.FormatOf(result.Code, result.OptionsToRead),
                Seen = subject.Change,
                SentRun = subject.Started,
                ConfirmableFrom = now + s_confirmableEvery,
                IsOfGroup = exchange.Request.IsMulticast,
                IsCountedBySource = isCounted,
                MovedAt = now,

                // Something changed while the handler ran: its answer may be of before.
                NeedsRefresh = resource.Route.Changes != resource.Changes,
            };
            subject.Add(observer);
            subject.SetStalled(observer, channel.IsReliable);
            CountBusy(observer);
            peer.Add(observer);
            peer.Outstanding++;
            channel.Pins++;
            if (before is not null)
            {
                before.IsCountedBySource = false;
                RemoveLocked(before, CoapObserverEnd.Replaced, observer);
            }

            _observers.Add((channel, request.Token), observer);
            _news.Came(observer, before);
            _counters.Add(CoapCounter.Registrations);
            ReplaceNewcomers(observer, now);
            number = subject.NextNumber(now, _clock);
            ArmRefresh(observer, now);
            return observer;
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Makes the transmission of the answer to a registration. Withdraws the registration if the answer is no success after all.</summary>
    public CoapTransmission? Answer(Observer observer, CoapMessage response)
    {
        _shard.Enter();
        try
        {
            if (!response.Code.IsSuccess)
            {
                RemoveLocked(observer, CoapObserverEnd.Failed);
            }

            if (observer.IsRemoved)
            {
                return null;
            }

            observer.Answer = new CoapTransmission(observer.Channel, response, null) { Source = observer };
            return observer.Answer;
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Removes the observer of a token, if there is one (RFC 7641 section 4.1: Observe 1).</summary>
    public void Deregister(CoapChannel channel, CoapToken token, CoapObserverEnd end = CoapObserverEnd.Deregistered)
    {
        _shard.Enter();
        try
        {
            if (_observers.TryGetValue((channel, token), out Observer? observer))
            {
                RemoveLocked(observer, end);
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Removes an observer whose answer did not leave.</summary>
    public void Withdraw(Observer observer)
    {
        _shard.Enter();
        try
        {
            RemoveLocked(observer, CoapObserverEnd.NotAnswered);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Removes all observers of a peer without a word, because its connection has ended (RFC 8323 section 7.4).</summary>
    public void RemoveAllOf(CoapChannel channel)
    {
        _shard.Enter();
        try
        {
            if (channel.ObservingState is not { } peer)
            {
                return;
            }

            // Not one by one: nothing is sent to the peer any more.
            peer.Waiting.ForEach(static observer => observer.IsWaiting = false);
            peer.Waiting.Clear();
            while (peer.First is { } observer)
            {
                RemoveLocked(observer, CoapObserverEnd.Disconnected);
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Removes everybody without a word, because the endpoint has stopped.</summary>
    public void RemoveAll()
    {
        _shard.Enter();
        try
        {
            foreach (Observer observer in _observers.Values.ToArray())
            {
                RemoveLocked(observer, CoapObserverEnd.Stopped);
            }

            _jobs.Clear();
            _shard.Wheel.Cancel(_jobTimer);
        }
        finally
        {
            _shard.Exit();
        }
    }

    private Subject GetOrAddSubject(SubjectKey key, ObservableResource resource, CoapExchange exchange, long now)
    {
        if (_subjects.TryGetValue(key, out Subject? subject))
        {
            subject.Settings = resource.Settings;
            return subject;
        }

        return AddSubject(key.ToKeep(), resource, exchange.Special & ~SpecialOptions.Observe, now);
    }

    private Subject AddSubject(SubjectKey key, ObservableResource resource, SpecialOptions special, long now)
    {
        Subject subject = new(this, key, resource, special, now);
        _subjects.Add(subject.Key, subject);
        AddTo(_byRoute, subject.Route, subject);
        AddTo(_byPath, subject.Path, subject);
        return subject;
    }

    private void RemoveLocked(Observer observer, CoapObserverEnd end, Observer? successor = null)
    {
        if (observer.IsRemoved)
        {
            return;
        }

        (Subject subject, PeerObservers peer) = (observer.Subject, observer.Peer);
        observer.IsRemoved = true;
        _news.Went(observer, end, successor);
        _observers.Remove((observer.Channel, observer.Token));
        ForgetNewcomers();
        _shard.Wheel.Cancel(observer);
        if (observer.IsOutstanding)
        {
            peer.Outstanding--;
        }

        Stop(observer.Answer);
        Stop(observer.Confirmable);
        Stop(observer.NonConfirmable);
        observer.Answer = observer.Confirmable = observer.NonConfirmable = null;
        observer.NonConfirmableMessage = null;

        Leave(observer, subject);
        if (observer.IsWaiting)
        {
            peer.Waiting.Remove(observer);
        }

        peer.Channel.Pins--;
        if (observer.IsCountedBySource)
        {
            _shard.Guard.OnObserverRemoved(peer.Channel);
        }

        peer.Remove(observer);
        _places.Trim(peer.Place, peer.Count);
        if (peer.Count == 0)
        {
            peer.Channel.ObservingState = null;
            _shard.Wheel.Cancel(peer);
        }
        else if (peer.Waiting.Count > 0)
        {
            QueuePeer(peer, _shard.Environment.Now);
        }
    }

    private void Leave(Observer observer, Subject subject)
    {
        if (observer.IsCountedBusy)
        {
            observer.IsCountedBusy = false;
            subject.Busy--;
        }

        subject.Remove(observer);
        if (subject.Observers.Count == 0)
        {
            subject.IsGone = true;
            _subjects.Remove(subject.Key);
            _shard.Wheel.Cancel(subject);
            RemoveFrom(_byRoute, subject.Route, subject);
            RemoveFrom(_byPath, subject.Path, subject);
        }
    }

    private void Stop(CoapTransmission? transmission)
    {
        if (transmission is { IsOver: false })
        {
            _shard.Cancel(transmission);
        }
    }

    private static void CountBusy(Observer observer)
    {
        bool busy = observer.IsWaiting || observer.IsOutstanding;
        if (busy != observer.IsCountedBusy && !observer.IsRemoved)
        {
            observer.IsCountedBusy = busy;
            observer.Subject.Busy += busy ? 1 : -1;
        }
    }

    private static void AddTo<TKey>(Dictionary<TKey, HashSet<Subject>> index, TKey key, Subject subject)
        where TKey : notnull
    {
        if (!index.TryGetValue(key, out HashSet<Subject>? subjects))
        {
            index.Add(key, subjects = []);
        }

        subjects.Add(subject);
    }

    private static void RemoveFrom<TKey>(Dictionary<TKey, HashSet<Subject>> index, TKey key, Subject subject)
        where TKey : notnull
    {
        if (index.TryGetValue(key, out HashSet<Subject>? subjects) && subjects.Remove(subject) && subjects.Count == 0)
        {
            index.Remove(key);
        }
    }
}
