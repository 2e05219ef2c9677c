using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>
/// Finds the peer of an observation. It resolves names for every registration, because the server may have moved. Belongs to the thread
/// that is busy with the observation.
/// </summary>
#pragma warning disable CA1001 // the token source is disposed with the search, which ends with the observation at the latest
internal sealed class PeerSearch(ClientObservation observation, ObservationPort port)
#pragma warning restore CA1001
{
    private IReadOnlyList<CoapChannel>? _addresses;
    private int _addressesLeft;
    private int _number;
    private CancellationTokenSource? _search;

    /// <summary>Whether the next registration goes to the next address after a failure.</summary>
    public bool TriesNext { get; set; }

    /// <summary>
    /// Whether the peer cannot be found again after its connection ended: it had connected to us, and returns over a connection of its own,
    /// as another peer.
    /// </summary>
    public bool IsGoneForGood => observation.Target.Peer is { IsConnection: true } peer && !ObservationPort.MayConnect(peer);

    /// <summary>Starts a search, and replaces a running one.</summary>
    /// <returns>The peers, if they are known at once; null if an event will report them.</returns>
    public IReadOnlyList<CoapChannel>? Begin()
    {
        int number = ++_number;
        Cancel();
        _search = new CancellationTokenSource();
        ValueTask<IReadOnlyList<CoapChannel>> found = port.FindAsync(observation.Target, _search.Token);
        if (found.IsCompletedSuccessfully)
        {
            return found.Result;
        }

        _ = AwaitAsync(found, number);
        return null;
    }

    /// <summary>Returns whether an event belongs to the last search.</summary>
    public bool IsCurrent(in ObservationEvent happened) => happened.Number == _number;

    /// <summary>Chooses the peer for the registration after a search.</summary>
    /// <param name="channels">The found peers, at least one.</param>
    /// <param name="standing">The previous registration; null for none.</param>
    public CoapChannel Choose(IReadOnlyList<CoapChannel> channels, StandingRequest? standing)
    {
        int start = PlaceOf(channels, standing);
        if (start < 0)
        {
            start = 0;
        }
        else if (TriesNext)
        {
            start = (start + 1) % channels.Count;
        }

        _search?.Dispose();
        _search = null;
        TriesNext = false;
        _addresses = channels.Count > 1 ? channels : null;
        _addressesLeft = channels.Count - 1;
        return channels[start];
    }

    /// <summary>Returns the next address of the name if nothing listens at that of a registration.</summary>
    /// <returns>The peer there; null if all were tried.</returns>
    public CoapChannel? Next(StandingRequest? standing)
    {
        if (_addressesLeft <= 0 || _addresses is null)
        {
            return null;
        }

        _addressesLeft--;
        return _addresses[(PlaceOf(_addresses, standing) + 1) % _addresses.Count];
    }

    public void Cancel()
    {
        // Other callers that wait for the connection continue to wait.
        CancellationTokenSource? search = _search;
        _search = null;
        search?.Cancel();
        search?.Dispose();
    }

    private async Task AwaitAsync(ValueTask<IReadOnlyList<CoapChannel>> search, int number)
    {
        IReadOnlyList<CoapChannel>? found = null;
        CoapException? error = null;
        try
        {
            found = await search.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // a resolver of a user may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception as CoapException
                ?? new CoapException($"{observation.Target} could not be found: {exception.Message}", exception);
        }

        observation.Post(new ObservationEvent { Kind = ObservationEventKind.Found, Number = number, Found = found, Error = error });
    }

    private static int PlaceOf(IReadOnlyList<CoapChannel> channels, StandingRequest? standing)
    {
        for (int i = 0; standing is not null && i < channels.Count; i++)
        {
            if (ObservationPort.IsSamePeer(channels[i], standing.Channel))
            {
                return i;
            }
        }

        return -1;
    }
}
