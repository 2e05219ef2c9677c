namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// The places for TLS handshakes that peers begin: some for silent connections, as many for those that have begun. When one group is full,
/// the source with most loses its oldest handshake without progress. Thread-safe.
/// </summary>
/// <param name="limits">The limits.</param>
/// <param name="time">The clock.</param>
/// <param name="sources">Maps peers to sources.</param>
internal sealed class HandshakeLimiter(CoapLimits limits, TimeProvider time, CoapSourceGroupingRule sources)
{
    // A source that is full by itself gives a place away only when a handshake has made no progress for so long. Otherwise many clients
    // behind one address that connect at once would end each other's handshakes.
    private static readonly TimeSpan s_stallTimeout = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly SourceUsage<Handshake> _silent = new();
    private readonly SourceUsage<Handshake> _begun = new();

    public long Begun
    {
        get
        {
            lock (_gate)
            {
                return _begun.Total;
            }
        }
    }

    /// <summary>The number of accepted, still silent connections.</summary>
    public long Silent
    {
        get
        {
            lock (_gate)
            {
                return _silent.Total;
            }
        }
    }

    /// <summary>Adds an accepted connection. It always gets a place; the longest silent one is evicted.</summary>
    /// <param name="remote">Its peer.</param>
    /// <param name="end">Ends the handshake when it must be evicted; disposed only after <see cref="Leave"/>.</param>
    public Handshake Enter(in CoapAddress remote, CancellationTokenSource end)
    {
        Handshake handshake = new(this, sources.Of(remote), end);
        lock (_gate)
        {
            _silent.Set(handshake.UsageEntry, 1);
            if (handshake.UsageEntry.Source!.Amount > limits.Connections.MaxHandshakesPerSource)
            {
                Evict(_silent, handshake.UsageEntry.Source.First!);
            }
            else if (_silent.Total > limits.Connections.MaxHandshakes)
            {
                Evict(_silent, _silent.Greediest!.First!);
            }
        }

        return handshake;
    }

    /// <summary>Handles the first byte.</summary>
    /// <returns>Whether there is a place for the handshake.</returns>
    public bool TryBegin(Handshake handshake)
    {
        lock (_gate)
        {
            if (handshake.UsageEntry.IsOver)
            {
                return false;
            }

            _silent.Set(handshake.UsageEntry, 0);
            long mine = _begun.AmountOf(handshake.UsageEntry.Key);
            SourceUsage<Handshake>.Source? full = mine >= limits.Connections.MaxHandshakesPerSource ? _begun.Find(handshake.UsageEntry.Key)
                : _begun.Total >= limits.Connections.MaxHandshakes ? _begun.Greediest
                : null;
            if (full is not null)
            {
                SourceUsage<Handshake>.UsageEntry oldest = full.First!;
                if (!FairShare.AllowsEviction(mine + 1, full.Amount - 1) && time.GetElapsedTime(oldest.Mark) < s_stallTimeout)
                {
                    return false;
                }

                Evict(_begun, oldest);
            }

            handshake.UsageEntry.Mark = time.GetTimestamp();
            _begun.Set(handshake.UsageEntry, 1);
            handshake.HasBegun = true;
            return true;
        }
    }

    private void OnProgress(Handshake handshake)
    {
        lock (_gate)
        {
            handshake.UsageEntry.Mark = time.GetTimestamp();
            SourceUsage<Handshake>.Touch(handshake.UsageEntry);
        }
    }

    public void Leave(Handshake handshake)
    {
        lock (_gate)
        {
            (handshake.HasBegun ? _begun : _silent).Set(handshake.UsageEntry, 0);
            handshake.UsageEntry.IsOver = true;
        }
    }

    // The waiting code continues on a pool thread, not in here.
    private static void Evict(SourceUsage<Handshake> ledger, SourceUsage<Handshake>.UsageEntry place)
    {
        ledger.Set(place, 0);
        place.IsOver = true;
        place.Owner.Evicted = true;
        _ = place.Owner.End.CancelAsync();
    }

    internal sealed class Handshake
    {
        private readonly HandshakeLimiter _places;

        public Handshake(HandshakeLimiter places, in CoapQuotaSource source, CancellationTokenSource end)
        {
            _places = places;
            End = end;
            UsageEntry = new SourceUsage<Handshake>.UsageEntry(this, source);
        }

        public CancellationTokenSource End { get; }

        public SourceUsage<Handshake>.UsageEntry UsageEntry { get; }

        public bool HasBegun { get; set; }

        /// <summary>Whether it ended because it was evicted.</summary>
        public bool Evicted
        {
            get => Volatile.Read(ref field);
            set => Volatile.Write(ref field, value);
        }

        /// <summary>
        /// Records an answer of this end, so a whole flight of the peer had arrived: single bytes do not count as progress.
        /// </summary>
        public void OnProgress() => _places.OnProgress(this);
    }
}
