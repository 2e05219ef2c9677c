using CoAP.NET.Options;
using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy.Observing;

/// <summary>
/// One registration at a server for all clients that observe the same through the proxy (RFC 7641 section 5). What comes is kept, and the
/// route is told, which asks for it once for all observers. Thread-safe.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="route">The route that is observed downstream.</param>
/// <param name="registration">The request that began it, by which the route knows its observers.</param>
internal sealed class SharedObservation(TimeProvider time, CoapRouteHandlerBuilder route, CoapRequest registration)
{
    private readonly Lock _gate = new();
    private CoapObservation? _observation;
    private CoapResponse? _latest;
    private long _receivedAt;
    private bool _isOver;

    /// <summary>How often it was found without observers.</summary>
    public int Idle { get; set; }

    /// <summary>How many clients observe it.</summary>
    public int Observers => route.CountObservers(registration);

    /// <summary>Whether nobody hears of changes by it any more.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>What came last, with what is left of its Max-Age.</summary>
    /// <param name="evenIfStale">Whether it counts although its time is over, as for those who are told of it just now.</param>
    /// <returns>Null when nobody knows whether it still holds.</returns>
    public CoapResult? Current(bool evenIfStale)
    {
        CoapResponse? latest;
        long receivedAt;
        lock (_gate)
        {
            (latest, receivedAt) = (_latest, _receivedAt);
        }

        if (latest is null)
        {
            return null;
        }

        TimeSpan left = latest.MaxAge - time.GetElapsedTime(receivedAt);
        return !latest.IsSuccess ? CoapUpstream.ResultOf(latest)
            : left <= TimeSpan.Zero && !evenIfStale ? null
            : CoapUpstream.ResultOf(latest).WithMaxAge(TimeSpan.FromSeconds(Math.Max(0, Math.Floor(left.TotalSeconds))));
    }

    /// <summary>Registers.</summary>
    /// <param name="upstream">Who is asked.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The first answer; null where the protocol of the upstream has no observations.</returns>
    /// <exception cref="CoapException">There is none.</exception>
    public async Task<CoapResult?> BeginAsync(CoapProxyUpstream upstream, CoapProxyRequest request, CancellationToken cancellationToken)
    {
        if (upstream.ObserveAsync(request, new CoapObserveOptions { OnNotification = OnNotification },
            cancellationToken) is not { } beginning)
        {
            End();
            return null;
        }

        CoapObservation observation = await beginning.ConfigureAwait(false);
        bool isOver;
        lock (_gate)
        {
            _observation = observation;
            isOver = _isOver;
        }

        if (observation.Latest is not { } first || isOver)
        {
            End();
            throw observation.Error ?? new CoapException("The registration was given up.");
        }

        Keep(first);
        CoapResult result = CoapUpstream.ResultOf(first);
        if (observation.State != CoapObserveState.Observing || !first.IsSuccess)
        {
            // The server does not notify: its answer is a plain one (RFC 7641 section 5).
            End();
            result.DeclinesObserver = true;
        }

        return result;
    }

    /// <summary>Ends it; the server is told in the background.</summary>
    public void End()
    {
        CoapObservation? observation;
        lock (_gate)
        {
            _isOver = true;
            observation = _observation;
        }

        // Returns at once.
        _ = observation?.DisposeAsync().AsTask();
    }

    private void OnNotification(CoapResponse response)
    {
        if (Keep(response))
        {
            // An error ends it for all who observe (RFC 7641 section 4.2): the route passes it on, and they register anew if they want.
            // By itself the registration would be made again, for nobody.
            if (!response.IsSuccess)
            {
                End();
            }

            route.NotifyFor(registration);
        }
    }

    private bool Keep(CoapResponse response)
    {
        lock (_gate)
        {
            if (ReferenceEquals(_latest, response))
            {
                return false;
            }

            bool isNews = _latest is not null;
            _latest = response;
            _receivedAt = time.GetTimestamp();
            return isNews;
        }
    }
}
