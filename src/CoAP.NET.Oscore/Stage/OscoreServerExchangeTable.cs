using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Stage;

/// <summary>
/// The requests of a peer, by token, to which its responses refer. When full, it evicts the oldest answered ones without an observation.
/// Not thread-safe.
/// </summary>
/// <param name="maxWaiting">Maximum number of requests that wait for their responses.</param>
internal sealed class OscoreServerExchangeTable(int maxWaiting)
{
    /// <summary>Number of answered requests that can have further protected responses, as for bodies in bursts (RFC 9177).</summary>
    public const int MaxAnswered = 8;

    private readonly Dictionary<CoapToken, Entry> _entries = [];
    private readonly Queue<Entry> _answered = [];
    private readonly Queue<Entry> _waiting = [];

    public int Count => _entries.Count;

    /// <summary>Number of requests with a pending response or an observation.</summary>
    public int Open { get; private set; }

    /// <summary>Adds a request.</summary>
    /// <param name="token">Its token.</param>
    /// <param name="id">The identification to which responses refer.</param>
    /// <param name="registers">Whether it registers an observation.</param>
    /// <param name="isDue">Whether a response is due: with No-Response there may be none.</param>
    public void Add(CoapToken token, OscoreRequestId id, bool registers, bool isDue = true)
    {
        if (_entries.TryGetValue(token, out Entry? before))
        {
            SetOpen(before, false);
        }

        Entry entry = new(token, id, registers ? id : before?.Observation);
        _entries[token] = entry;
        SetOpen(entry, isDue || entry.Observation is not null);
        _waiting.Enqueue(entry);
        if (_waiting.Count > maxWaiting)
        {
            Forget(_waiting.Dequeue());
        }
    }

    public bool TryFind(CoapToken token, bool isNotification, [NotNullWhen(true)] out OscoreRequestId? id)
    {
        id = _entries.TryGetValue(token, out Entry? entry) ? (isNotification ? entry.Observation : null) ?? entry.Request : null;
        return id is not null;
    }

    public void OnAnswered(CoapToken token, bool isNotification)
    {
        if (!_entries.TryGetValue(token, out Entry? entry))
        {
            return;
        }

        entry.IsObserved = isNotification;
        if (!isNotification)
        {
            if (ReferenceEquals(entry.Request, entry.Observation))
            {
                // The server refused the registration, or the observation has ended.
                entry.Observation = null;
            }

            if (!entry.IsAnswered)
            {
                entry.IsAnswered = true;
                _answered.Enqueue(entry);
                if (_answered.Count > MaxAnswered)
                {
                    Forget(_answered.Dequeue());
                }
            }
        }

        SetOpen(entry, entry.Observation is not null);

        // Requests answered in order do not take a place among those that wait.
        while (_waiting.TryPeek(out Entry? first) && (first.IsAnswered || first.IsObserved || !IsCurrent(first)))
        {
            _waiting.Dequeue();
        }
    }

    /// <summary>Handles the end of an observation, after which no response follows.</summary>
    public void OnObserverGone(CoapToken token)
    {
        if (!_entries.TryGetValue(token, out Entry? entry) || entry.Observation is null)
        {
            return;
        }

        bool isAnother = !ReferenceEquals(entry.Request, entry.Observation);
        entry.Observation = null;
        entry.IsObserved = false;
        if (!isAnother)
        {
            Forget(entry);
        }
        else if (entry.IsAnswered)
        {
            SetOpen(entry, false);
        }
    }

    private void SetOpen(Entry entry, bool isOpen)
    {
        Open += (isOpen ? 1 : 0) - (entry.IsOpen ? 1 : 0);
        entry.IsOpen = isOpen;
    }

    private bool IsCurrent(Entry entry) => _entries.TryGetValue(entry.Token, out Entry? current) && ReferenceEquals(current, entry);

    private void Forget(Entry entry)
    {
        if (!entry.IsObserved && entry.Observation is null && IsCurrent(entry))
        {
            SetOpen(entry, false);
            _entries.Remove(entry.Token);
        }
    }

    private sealed class Entry(CoapToken token, OscoreRequestId request, OscoreRequestId? observation)
    {
        public CoapToken Token { get; } = token;

        public OscoreRequestId Request { get; } = request;

        public OscoreRequestId? Observation { get; set; } = observation;

        public bool IsAnswered { get; set; }

        public bool IsObserved { get; set; }

        public bool IsOpen { get; set; }
    }
}
