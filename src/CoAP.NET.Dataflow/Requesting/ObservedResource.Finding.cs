using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

// Where the resource is. Names are resolved for every registration, as the server may have moved.
internal sealed partial class ObservedResource
{
    /// <summary>How long a search for the peer may take, with connecting to it, where the request gave no time.</summary>
    public static readonly TimeSpan SearchTime = TimeSpan.FromMinutes(2);

    // Whoever searches keeps that time; this is for a search that is lost.
    private static readonly long s_findingTime = (SearchTime + TimeSpan.FromSeconds(10)).Ticks;

    private IReadOnlyList<CoapChannel>? _addresses;
    private int _addressesLeft;
    private int _finding;
    private bool _triesNextAddress;
    private CancellationTokenSource? _search;

    private void Find(long now)
    {
        _phase = Phase.Finding;
        _due = now + Math.Max(s_findingTime, Target.Timeout?.Ticks + TimeSpan.TicksPerSecond ?? 0);
        if (Snapshot.State is not (CoapObserveState.Registering or CoapObserveState.NotObserving))
        {
            Publish(CoapObserveState.Reregistering, Snapshot.Error);
        }

        int number = ++_finding;
        CancelSearch();
        _search = new CancellationTokenSource();
        ValueTask<IReadOnlyList<CoapChannel>> found = _port.FindAsync(Target, _search.Token);
        if (found.IsCompletedSuccessfully)
        {
            OnFound(new Happening { Number = number, Subject = found.Result }, now);
        }
        else
        {
            _ = AwaitFoundAsync(found, number);
        }
    }

    private async Task AwaitFoundAsync(ValueTask<IReadOnlyList<CoapChannel>> found, int number)
    {
        object result;
        try
        {
            result = await found.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // a resolver of a user may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            result = exception as CoapException ?? new CoapException($"{Target} could not be found: {exception.Message}", exception);
        }

        Post(new Happening { What = News.Found, Number = number, Subject = result });
    }

    private void OnFound(in Happening happening, long now)
    {
        if (_phase != Phase.Finding || happening.Number != _finding)
        {
            return;
        }

        if (happening.Subject is not IReadOnlyList<CoapChannel> channels)
        {
            Fail((CoapException)happening.Subject!, now);
            return;
        }

        int start = PlaceOf(channels);
        if (start < 0)
        {
            start = 0;
        }
        else if (_triesNextAddress)
        {
            start = (start + 1) % channels.Count;
        }

        EndSearch();
        _triesNextAddress = false;
        _addresses = channels.Count > 1 ? channels : null;
        _addressesLeft = channels.Count - 1;
        Register(channels[start], now);
    }

    private void CancelSearch()
    {
        // Who waits for a connection with us goes on waiting.
        CancellationTokenSource? search = _search;
        _search = null;
        search?.Cancel();
        search?.Dispose();
    }

    private void EndSearch()
    {
        _search?.Dispose();
        _search = null;
    }

    private int PlaceOf(IReadOnlyList<CoapChannel> channels)
    {
        for (int i = 0; _standing is not null && i < channels.Count; i++)
        {
            if (_port.IsSamePeer(channels[i], _standing.Channel))
            {
                return i;
            }
        }

        return -1;
    }
}
