using System.Buffers;
using System.Globalization;
using System.Text;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.LookUps;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Observing;

/// <summary>
/// All observed look-ups. Some time after a change of registrations it determines the look-ups with another result, and notifies only their
/// observers. Limited in total, per source, and in the registrations scanned per second. Thread-safe.
/// </summary>
internal sealed class ObservedLookUps : IDisposable
{
    // Batches notifications of changes, and serializes expensive look-ups.
    private const int ScannedAtATime = 10_000;
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(250);

    private readonly DirectoryServerState _core;
    private readonly LookUpExecutor _run;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, ObservedLookUp> _watches = new(StringComparer.Ordinal);
    private readonly ObservedLookUpLimiter _places;
    private readonly Queue<ObservedLookUp> _dirty = new();
    private readonly Queue<ObservedLookUp> _displaced = new();
    private readonly ITimer _timer;
    private bool _isLooking;

    public ObservedLookUps(DirectoryServerState core, LookUpExecutor run)
    {
        _core = core;
        _run = run;
        _places = new ObservedLookUpLimiter(core.Options.Limits.MaxWatched, core.Options.Limits.MaxWatchedPerSource);
        _timer = core.Options.TimeProvider.CreateTimer(
            static watches => ((ObservedLookUps)watches!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _watches.Count;
            }
        }
    }

    /// <summary>Returns the look-up of a request as a key.</summary>
    /// <param name="request">The request.</param>
    /// <param name="ofLinks">Whether the look-up is for links; otherwise for endpoints.</param>
    public static string KeyOf(CoapRequestContext request, bool ofLinks)
    {
        // Includes each length, so that different look-ups have different keys.
        StringBuilder key = new(ofLinks ? "l" : "e");
        foreach (string query in request.Queries)
        {
            key.Append(CultureInfo.InvariantCulture, $"{query.Length}:{query}");
        }

        return key.ToString();
    }

    /// <summary>Returns the limits of observers for the look-up of a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="ofLinks">Whether the look-up is for links; otherwise for endpoints.</param>
    /// <returns>Null if it cannot be observed; <see cref="TryReport"/> returns false then.</returns>
    public CoapResourceObserverLimits? FindTerms(CoapRequestContext request, bool ofLinks)
    {
        string key = KeyOf(request, ofLinks);
        lock (_gate)
        {
            if (_watches.TryGetValue(key, out ObservedLookUp? known))
            {
                if (known.Source == request.Peer.Source)
                {
                    ObservedLookUpLimiter.Touch(known);
                }

                return known.ObserverLimits;
            }
        }

        // Registrations visible on one network link only cannot be sent to all observers of the same look-up.
        if (_core.LinkTagOf(request) != 0
            || LookUp.TryRead(request.Queries, ofLinks, _core.Options.Limits.MaxCriteriaPerLookUp, out LookUp? lookUp) is not null)
        {
            return null;
        }

        CoapQuotaSource source = request.Peer.Source;
        lock (_gate)
        {
            if (!_watches.TryGetValue(key, out ObservedLookUp? watch))
            {
                watch = new ObservedLookUp(key, lookUp!, source, request.Peer.IsVerified, _core.Index.Now);
                if (!_places.TryTake(watch, out ObservedLookUp? givesWay))
                {
                    _core.Counts.Add(DirectoryCounterKind.WatchesRefused);
                    return null;
                }

                if (givesWay is not null)
                {
                    // Its observers are notified soon: notifications are not allowed while terms are looked up.
                    givesWay.IsDisplaced = true;
                    _watches.Remove(givesWay.Key);
                    _displaced.Enqueue(givesWay);
                    _core.Counts.Add(DirectoryCounterKind.ObservedLookUpsEvicted);
                }

                _watches.Add(key, watch);
                if (_watches.Count == 1)
                {
                    // Earlier changes have no observers.
                    _core.Changes.Take(out _);
                    _timer.Change(s_interval, s_interval);
                }
            }

            return watch.ObserverLimits;
        }
    }

    /// <summary>Whether the look-up of a request may be observed; records the result for the first observer.</summary>
    /// <param name="request">The request.</param>
    /// <param name="ofLinks">Whether the look-up is for links; otherwise for endpoints.</param>
    /// <param name="told">The entity-tag of the response.</param>
    public bool TryReport(CoapRequestContext request, bool ofLinks, CoapETag told)
    {
        lock (_gate)
        {
            if (!_watches.TryGetValue(KeyOf(request, ofLinks), out ObservedLookUp? watch) || _core.LinkTagOf(request) != 0)
            {
                return false;
            }

            watch.SentETag ??= told;
            return true;
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        List<ObservedLookUp> changed = [];
        ObservedLookUp[] displaced;
        lock (_gate)
        {
            if (_isLooking)
            {
                return;
            }

            _isLooking = true;
            displaced = [.. _displaced];
            _displaced.Clear();
            RemoveOver();
        }

        foreach (ObservedLookUp watch in displaced)
        {
            // They get 4.04, and may register again.
            watch.ObserverLimits.MaxObservers = 0;
        }

        try
        {
            MarkDirty();
            Compare(changed);
        }
        finally
        {
            lock (_gate)
            {
                _isLooking = false;
            }
        }

        foreach (ObservedLookUp watch in changed)
        {
            _core.Counts.Add(DirectoryCounterKind.Notices);
            watch.ObserverLimits.NotifyHere();
        }
    }

    private void RemoveOver()
    {
        long now = _core.Index.Now;
        foreach (ObservedLookUp watch in _watches.Values.Where(each => each.IsOver(now)).ToArray())
        {
            _watches.Remove(watch.Key);
            _places.Return(watch);
        }

        if (_watches.Count == 0)
        {
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }

    private void MarkDirty()
    {
        _core.Index.EndLifetimes();
        IReadOnlyList<DirectoryChange> changes = _core.Changes.Take(out bool areMore);
        if (changes.Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            foreach (ObservedLookUp watch in _watches.Values)
            {
                if (!watch.IsDirty && (areMore || changes.Any(change => _run.MayMatch(watch.LookUp, change))))
                {
                    watch.IsDirty = true;
                    _dirty.Enqueue(watch);
                }
            }
        }
    }

    private void Compare(List<ObservedLookUp> changed)
    {
        ArrayBufferWriter<byte> answer = new();
        int waiting;
        lock (_gate)
        {
            waiting = _dirty.Count;
        }

        for (int scanned = 0; waiting > 0 && scanned < ScannedAtATime; waiting--)
        {
            ObservedLookUp? watch;
            lock (_gate)
            {
                if (!_dirty.TryDequeue(out watch))
                {
                    return;
                }

                watch.IsDirty = false;
                if (watch.IsDisplaced)
                {
                    continue;
                }
            }

            answer.ResetWrittenCount();
            LookUpFault fault = _run.Run(watch.LookUp, 0, answer, out int seen);
            scanned += seen + 1;
            CoapETag now = fault == LookUpFault.None ? CoapETag.FromContent(answer.WrittenSpan) : default;
            lock (_gate)
            {
                if (watch.SentETag is null && watch.IsYoung(_core.Index.Now))
                {
                    // Its first response is on its way.
                    watch.IsDirty = true;
                    _dirty.Enqueue(watch);
                }
                else if (watch.SentETag != now)
                {
                    watch.SentETag = now;
                    changed.Add(watch);
                }
            }
        }
    }
}
