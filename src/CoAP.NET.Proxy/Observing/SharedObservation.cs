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
/// <param name="counts">Counts.</param>
internal sealed class SharedObservation(TimeProvider time, CoapRouteHandlerBuilder route, CoapRequest registration, ProxyCounts counts)
{
    private static readonly TimeSpan s_defaultMaxAge = MaxAge.Default;

    private readonly Lock _gate = new();
    private CoapObservation? _observation;
    private ResourcePoll? _poll;
    private CoapResponse? _notification;
    private CoapResult? _latest;
    private long _receivedAt;
    private bool _isOver;

    /// <summary>How often in a row it was found without observers. Guarded by the lock of <see cref="SharedObservations"/>.</summary>
    public int Idle { get; set; }

    /// <summary>
    /// How many requests joined it and are not answered yet, so that their clients are no observers so far. Guarded by the lock of
    /// <see cref="SharedObservations"/>.
    /// </summary>
    public int Joining { get; set; }

    /// <summary>How many clients observe it.</summary>
    public int Observers => route.CountObservers(registration);

    /// <summary>Whether nobody hears of changes by it any more.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>
    /// Whether a client that becomes an observer now hears of changes: it is not over, and the server did not answer the last registration
    /// without Observe.
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

    /// <summary>What came last, with what is left of its Max-Age.</summary>
    /// <param name="evenIfStale">Whether it counts although its time is over, as for those who are told of it just now.</param>
    /// <returns>Null when nobody knows whether it still holds.</returns>
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
            : latest.Copy().WithMaxAge(TimeSpan.FromSeconds(Math.Max(0, Math.Floor(left.TotalSeconds))));
    }

    /// <summary>Registers.</summary>
    /// <param name="upstream">Who is asked.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The first answer; null where the protocol of the upstream has no observations.</returns>
    /// <exception cref="CoapException">There is none.</exception>
    public async Task<CoapResult?> BeginAsync(CoapProxyUpstream upstream, CoapProxyRequest request, CancellationToken cancellationToken)
    {
        // What is protected cannot be asked for again: the server would take it for a replay (RFC 8613 section 7.4).
        CoapObserveOptions observe = new() { OnNotification = OnNotification };
        if (request.Options.Contains(OptionNumber.Oscore))
        {
            observe.Reregistration = CoapReregistration.Never;
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
            throw observation.Error ?? new CoapException("The registration was given up.");
        }

        Keep(first);
        CoapResult result = CoapResult.FromMessage(first.Message);
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

    private async Task<CoapResult?> PollAsync(CoapProxyUpstream upstream, CoapProxyRequest request, CancellationToken cancellationToken)
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
            route.NotifyFor(registration);
        }
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
            if (ReferenceEquals(_notification, response))
            {
                return false;
            }

            bool isNews = _notification is not null;
            _notification = response;
            _latest = CoapResult.FromMessage(response.Message);
            _receivedAt = time.GetTimestamp();
            return isNews;
        }
    }
}
