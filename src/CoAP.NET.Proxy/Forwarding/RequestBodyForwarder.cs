using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// The request bodies that pass through the proxy. Each holds a place among the pending requests. In a full proxy the body of a client that
/// delays others is evicted for a newcomer: the slowest one of the source with the most places, or one of the newcomer's own source if no
/// other has more. Thread-safe.
/// </summary>
/// <param name="options">The options of the proxy.</param>
/// <param name="counts">The counters.</param>
/// <param name="clock">The clock.</param>
internal sealed class RequestBodyForwarder(CoapProxyOptions options, EventCounter<ProxyCounterKind> counts, TimeProvider clock)
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    // Tolerates a round trip and a lost message.
    private static readonly TimeSpan s_lenience = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapQuotaSource, HashSet<ForwardedRequestBody>> _bodies = [];

    /// <summary>The response if there is no place.</summary>
    public static CoapResult Busy => CoapResults.ServiceUnavailable(s_retryAfter);

    public SourceQuota Quota { get; } = new(options.Limits.MaxRequests, options.Limits.MaxRequestsPerSource);

    /// <summary>Takes a place for a request.</summary>
    /// <returns>Whether a place was free or another body was evicted.</returns>
    public bool TryEnter(CoapQuotaSource source)
    {
        while (!Quota.TryEnter(source))
        {
            if (!TryMakeRoom(source))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Forwards a request whose body arrives in blocks: as a whole if it is small or the upstream or method requires it, otherwise while it
    /// arrives. Returns the place of the request at the end.
    /// </summary>
    public async Task<CoapResult> PassAsync(
        CoapForwardedRequest onward,
        CoapQuotaSource source,
        UpstreamClient upstream,
        Func<CoapForwardedRequest, CancellationToken, Task<CoapResult>> send,
        CancellationToken cancellationToken)
    {
        ForwardedRequestBody body = new(onward.Received, options.Timeout, clock, cancellationToken);
        Add(source, body);
        bool hasPlace = true;
        try
        {
            // The body of a safe request is part of the cache key and must be complete.
            bool streams = !onward.Code.IsSafe && upstream.StreamsBodyOf((CoapMethod)onward.Code.Value, onward.Options);
            if (!await body.TryHoldAsync(streams ? options.Limits.StreamsAbove : options.Limits.MaxBodySize).ConfigureAwait(false))
            {
                if (!streams)
                {
                    return CoapResults.RequestEntityTooLarge(options.Limits.MaxBodySize);
                }

                counts.Add(ProxyCounterKind.StreamedUploads);
                return await send(onward.With(body), body.Ended).ConfigureAwait(false);
            }

            // The client has sent everything, and waits for the server like all others.
            hasPlace = Remove(source, body);
            body.End();
            return hasPlace ? await send(onward.With(body), cancellationToken).ConfigureAwait(false) : Busy;
        }
        catch (Exception exception) when (body.Explains(exception))
        {
            return Fail(body);
        }
        finally
        {
            if (Remove(source, body) || (hasPlace && !body.IsEvicted))
            {
                Quota.Exit(source);
            }

            body.End();
        }
    }

    private CoapResult Fail(ForwardedRequestBody body)
    {
        if (body.IsEvicted)
        {
            return Busy;
        }

        if (body.WaitsForServer)
        {
            counts.Add(ProxyCounterKind.Timeouts);
            return CoapResults.Status(CoapCode.GatewayTimeout, "The server did not read the body in time.");
        }

        counts.Add(ProxyCounterKind.UploadsAbandoned);
        return CoapResults.Status(
            CoapCode.RequestEntityIncomplete,
            body.IsWantedAgain ? "The server needs the body again. Start over with block 0." : "The transfer of the body was aborted. "
                + "Start over with block 0.");
    }

    private void Add(CoapQuotaSource source, ForwardedRequestBody body)
    {
        lock (_gate)
        {
            if (!_bodies.TryGetValue(source, out HashSet<ForwardedRequestBody>? own))
            {
                _bodies[source] = own = [];
            }

            own.Add(body);
        }
    }

    // Returns whether it was still there, and had not given way.
    private bool Remove(CoapQuotaSource source, ForwardedRequestBody body)
    {
        lock (_gate)
        {
            if (!_bodies.TryGetValue(source, out HashSet<ForwardedRequestBody>? own) || !own.Remove(body))
            {
                return false;
            }

            if (own.Count == 0)
            {
                _bodies.Remove(source);
            }

            return true;
        }
    }

    private bool TryMakeRoom(CoapQuotaSource source)
    {
        CoapQuotaSource owner;
        ForwardedRequestBody? victim;
        lock (_gate)
        {
            if (_bodies.Count == 0)
            {
                return false;
            }

            // The source with the most places does not get places of others.
            int held = Quota.CountOf(source);
            victim = null;
            owner = source;
            int most = 0;
            foreach ((CoapQuotaSource candidate, HashSet<ForwardedRequestBody> bodies) in _bodies)
            {
                if ((candidate == source || bodies.Count > held) && bodies.Count > most && SlowestOf(bodies) is { } slowest)
                {
                    (owner, victim, most) = (candidate, slowest, bodies.Count);
                }
            }

            if (victim is null)
            {
                return false;
            }

            victim.MarkEvicted();
            _bodies[owner].Remove(victim);
            if (_bodies[owner].Count == 0)
            {
                _bodies.Remove(owner);
            }
        }

        counts.Add(ProxyCounterKind.UploadsEvicted);
        Quota.Exit(owner);
        victim.Stop();
        return true;
    }

    private static ForwardedRequestBody? SlowestOf(HashSet<ForwardedRequestBody> bodies)
    {
        ForwardedRequestBody? slowest = null;
        TimeSpan longest = s_lenience;
        foreach (ForwardedRequestBody body in bodies)
        {
            if (body.Debt is var debt && debt >= longest)
            {
                (slowest, longest) = (body, debt);
            }
        }

        return slowest;
    }
}
