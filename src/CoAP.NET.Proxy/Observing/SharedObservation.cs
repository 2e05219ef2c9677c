using CoAP.NET.Diagnostics;
using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy.Observing;

/// <summary>
/// One registration at a server for all clients that observe the same resource through the proxy (RFC 7641 section 5), or for one client if
/// the response depends on it. It keeps the latest notification and notifies the route, which asks for it. Thread-safe.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="route">The route that clients observe.</param>
/// <param name="registration">The request that started it, by which the route knows its observers.</param>
/// <param name="client">The only client that it is for; null for all.</param>
/// <param name="counts">The counters.</param>
internal sealed class SharedObservation(TimeProvider time, CoapRouteHandlerBuilder route, CoapRequestContext registration,
    CoapChannel? client, EventCounter<ProxyCounterKind> counts)
{
    private static readonly TimeSpan s_defaultMaxAge = MaxAgeOption.Default;

    private readonly Lock _gate = new();
    private CoapObservation? _observation;
    private ResourcePoll? _poll;
    private CoapResponse? _notification;
    private CoapResult? _latest;
    private long _receivedAt;
    private bool _isOver;

    /// <summary>How often in a row it had no observers. Guarded by the lock of <see cref="SharedObservations"/>.</summary>
    public int Idle { get; set; }

    /// <summary>
    /// The number of joined requests that are not answered yet; their clients are not observers so far. Guarded by the lock of
    /// <see cref="SharedObservations"/>.
    /// </summary>
    public int Joining { get; set; }

    public int Observers => route.CountObservers(registration, client);

    /// <summary>Whether it no longer delivers changes.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>
    /// Whether a new observer will get changes: the observation has not ended, and the server accepted the last registration with Observe.
    /// </summary>
    public bool HearsOfChanges
    {
        get
        {
            lock (_gate)
            {
                return !_isOver && _observation is not { State: CoapObserveState.NotObserving };
            }
        }
    }

    /// <summary>Returns the latest response, with the rest of its Max-Age.</summary>
    /// <param name="evenIfStale">Whether a stale response counts, as for observers that are being notified.</param>
    /// <returns>Null if the response may no longer be valid.</returns>
    public CoapResult? Current(bool evenIfStale)
    {
        CoapResult? latest;
        long receivedAt;
        lock (_gate)
        {
            (latest, receivedAt) = (_latest, _receivedAt);
        }

        if (latest is null)
        {
            return null;
        }

        TimeSpan left = (latest.Options.MaxAge ?? s_defaultMaxAge) - time.GetElapsedTime(receivedAt);
        return left <= TimeSpan.Zero && !evenIfStale ? null
            : latest.WithMaxAge(TimeSpan.FromSeconds(Math.Max(0, Math.Floor(left.TotalSeconds))));
    }

    /// <summary>Registers at the server.</summary>
    /// <returns>The first response; null if the protocol of the upstream has no observations.</returns>
    /// <exception cref="CoapException">The registration failed.</exception>
    public async Task<CoapResult?> BeginAsync(UpstreamClient upstream, CoapForwardedRequest request, CancellationToken cancellationToken)
    {
        // A protected request cannot be repeated: the server would treat it as a replay (RFC 8613 section 7.4).
        CoapObservationOptions observe = new() { OnNotification = OnNotification };
        if (request.Options.Contains(OptionNumber.Oscore))
        {
            observe.Reregistration = CoapReregistrationPolicy.Never;
        }

        if (upstream.ObserveAsync(request, observe, cancellationToken) is not { } beginning)
        {
            return await PollAsync(upstream, request, cancellationToken).ConfigureAwait(false);
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
            throw observation.Error ?? new CoapException("The registration was canceled before the server answered.");
        }

        Store(first);
        CoapResult result = CoapResults.Response(first.Message);
        if (observation.State != CoapObserveState.Observing || !first.IsSuccess)
        {
            // The server does not notify: its response is a plain one (RFC 7641 section 5).
            End();
            result.DeclinesObserver = true;
        }

        return result;
    }

    /// <summary>Ends it and deregisters at the server in the background.</summary>
    public void End()
    {
        CoapObservation? observation;
        ResourcePoll? poll;
        lock (_gate)
        {
            _isOver = true;
            observation = _observation;
            poll = _poll;
        }

        poll?.Dispose();

        // Returns at once.
        _ = observation?.DisposeAsync().AsTask();
    }

    private async Task<CoapResult?> PollAsync(UpstreamClient upstream, CoapForwardedRequest request, CancellationToken cancellationToken)
    {
        if (upstream.PollInterval is not { } interval)
        {
            End();
            return null;
        }

        ResourcePoll poll = new(time, upstream, request, interval, counts, OnAnswer);
        CoapResult first;
        try
        {
            first = await poll.BeginAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            poll.Dispose();
            throw;
        }

        bool isOver;
        lock (_gate)
        {
            _poll = poll;
            _latest = first;
            _receivedAt = time.GetTimestamp();
            isOver = _isOver;
        }

        CoapResult result = first.Copy();
        if (isOver || !first.Code.IsSuccess)
        {
            End();
            result.DeclinesObserver = true;
        }

        return result;
    }

    private void OnAnswer(CoapResult answer, bool isChanged)
    {
        lock (_gate)
        {
            _latest = answer;
            _receivedAt = time.GetTimestamp();
        }

        if (answer.Code.IsError)
        {
            Volatile.Write(ref _isOver, true);
        }

        if (isChanged)
        {
            route.NotifyFor(registration, client);
        }
    }

    private void OnNotification(CoapResponse response)
    {
        if (Store(response))
        {
            // An error ends it for all observers (RFC 7641 section 4.2): the route passes the error on, and they can register again.
            // Otherwise the registration would be renewed without observers.
            if (!response.IsSuccess)
            {
                End();
            }

            route.NotifyFor(registration, client);
        }
    }

    private bool Store(CoapResponse response)
    {
        lock (_gate)
        {
            if (ReferenceEquals(_notification, response))
            {
                return false;
            }

            bool isNews = _notification is not null;
            _notification = response;
            _latest = CoapResults.Response(response.Message);
            _receivedAt = time.GetTimestamp();
            return isNews;
        }
    }
}
