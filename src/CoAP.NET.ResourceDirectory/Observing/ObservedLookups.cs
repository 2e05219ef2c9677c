using System.Buffers;
using System.Globalization;
using System.Text;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Observing;

/// <summary>
/// All observed lookups. Some time after a change of registrations it determines the lookups with another result, and notifies only their
/// observers. Limited in total, per source, and in the registrations scanned per second. Thread-safe.
/// </summary>
internal sealed class ObservedLookups : IDisposable
{
    // Batches notifications of changes, and serializes expensive lookups.
    private const int ScannedAtATime = 10_000;
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(250);

    private readonly DirectoryServerState _core;
    private readonly LookupExecutor _run;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, ObservedLookup> _watches = new(StringComparer.Ordinal);
    private readonly ObservedLookupLimiter _places;
    private readonly Queue<ObservedLookup> _dirty = new();
    private readonly Queue<ObservedLookup> _displaced = new();
    private readonly ITimer _timer;
    private bool _isLooking;

    public ObservedLookups(DirectoryServerState core, LookupExecutor run)
    {
        _core = core;
        _run = run;
        _places = new ObservedLookupLimiter(core.Options.Limits.MaxWatched, core.Options.Limits.MaxWatchedPerSource);
        _timer = core.Options.TimeProvider.CreateTimer(
            static watches => ((ObservedLookups)watches!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
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

    /// <summary>Returns the lookup of a request as a key.</summary>
    /// <param name="request">The request.</param>
    /// <param name="ofLinks">Whether the lookup is for links; otherwise for endpoints.</param>
    public static string KeyOf(CoapRequestContext request, bool ofLinks)
    {
        // Includes each length, so that different lookups have different keys.
        StringBuilder key = new(ofLinks ? "l" : "e");
        foreach (string query in request.Queries)
        {
            key.Append(CultureInfo.InvariantCulture, $"{query.Length}:{query}");
        }

        return key.ToString();
    }

    /// <summary>Returns the limits of observers for the lookup of a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="ofLinks">Whether the lookup is for links; otherwise for endpoints.</param>
    /// <returns>Null if it cannot be observed; <see cref="TryReport"/> returns false then.</returns>
    public CoapResourceObserverLimits? FindTerms(CoapRequestContext request, bool ofLinks)
    {
        string key = KeyOf(request, ofLinks);
        lock (_gate)
        {
            if (_watches.TryGetValue(key, out ObservedLookup? known))
            {
                if (known.Source == request.Peer.Source)
                {
                    ObservedLookupLimiter.Touch(known);
                }

                return known.ObserverLimits;
            }
        }

        // Registrations visible on one network link only cannot be sent to all observers of the same lookup.
        if (_core.LinkTagOf(request) != 0
            || Lookup.TryRead(request.Queries, ofLinks, _core.Options.Limits.MaxCriteriaPerLookup, out Lookup? lookup) is not null)
        {
            return null;
        }

        CoapQuotaSource source = request.Peer.Source;
        lock (_gate)
        {
            if (!_watches.TryGetValue(key, out ObservedLookup? watch))
            {
                watch = new ObservedLookup(key, lookup!, source, request.Peer.IsVerified, _core.Index.Now);
                if (!_places.TryTake(watch, out ObservedLookup? evicted))
                {
                    _core.Counts.Add(DirectoryCounterKind.WatchesRefused);
                    return null;
                }

                if (evicted is not null)
                {
                    // Its observers are notified soon: notifications are not allowed while terms are looked up.
                    evicted.IsDisplaced = true;
                    _watches.Remove(evicted.Key);
                    _displaced.Enqueue(evicted);
                    _core.Counts.Add(DirectoryCounterKind.ObservedLookupsEvicted);
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

    /// <summary>Whether the lookup of a request may be observed; records the result for the first observer.</summary>
    /// <param name="request">The request.</param>
    /// <param name="ofLinks">Whether the lookup is for links; otherwise for endpoints.</param>
    /// <param name="told">The entity-tag of the response.</param>
    public bool TryReport(CoapRequestContext request, bool ofLinks, CoapETag told)
    {
        lock (_gate)
        {
            if (!_watches.TryGetValue(KeyOf(request, ofLinks), out ObservedLookup? watch) || _core.LinkTagOf(request) != 0)
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
        List<ObservedLookup> changed = [];
        ObservedLookup[] displaced;
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

        foreach (ObservedLookup watch in displaced)
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

        foreach (ObservedLookup watch in changed)
        {
            _core.Counts.Add(DirectoryCounterKind.Notices);
            watch.ObserverLimits.NotifyHere();
        }
    }

    private void RemoveOver()
    {
        long now = _core.Index.Now;
        foreach (ObservedLookup watch in _watches.Values.Where(each => each.IsOver(now)).ToArray())
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
            foreach (ObservedLookup watch in _watches.Values)
            {
                if (!watch.IsDirty && (areMore || changes.Any(change => _run.MayMatch(watch.Lookup, change))))
                {
                    watch.IsDirty = true;
                    _dirty.Enqueue(watch);
                }
            }
        }
    }

    private void Compare(List<ObservedLookup> changed)
    {
        ArrayBufferWriter<byte> answer = new();
        int waiting;
        lock (_gate)
        {
            waiting = _dirty.Count;
        }

        for (int scanned = 0; waiting > 0 && scanned < ScannedAtATime; waiting--)
        {
            ObservedLookup? watch;
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
            LookupFault fault = _run.Run(watch.Lookup, 0, answer, out int seen);
            scanned += seen + 1;
            CoapETag now = fault == LookupFault.None ? CoapETag.FromContent(answer.WrittenSpan) : default;
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
