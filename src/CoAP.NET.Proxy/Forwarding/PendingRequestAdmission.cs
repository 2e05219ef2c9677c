using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// Admits requests to the limited number of pending ones. In a full proxy a request body whose client delays others is evicted for a new
/// request: the slowest one of the source with the most bodies, or one of the new request's own source if no other has more. Thread-safe.
/// </summary>
/// <param name="limits">The limits of the proxy.</param>
/// <param name="counts">The counters.</param>
internal sealed class PendingRequestAdmission(CoapProxyLimits limits, EventCounter<ProxyCounterKind> counts)
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    // Tolerates a round trip and a lost message.
    private static readonly TimeSpan s_lenience = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapQuotaSource, HashSet<ForwardedRequestBody>> _bodies = [];

    /// <summary>The response if there is no place.</summary>
    public static CoapResult Busy => CoapResults.ServiceUnavailable(s_retryAfter);

    /// <summary>The places of all pending requests. A request that ends frees its place.</summary>
    public SourceQuota Quota { get; } = new(limits.MaxRequests, limits.MaxRequestsPerSource);

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

    /// <summary>Adds a body that arrives, so that it can be evicted.</summary>
    public void Add(CoapQuotaSource source, ForwardedRequestBody body)
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

    /// <summary>Removes a body that can no longer be evicted.</summary>
    /// <returns>False if it was already removed or evicted.</returns>
    public bool Remove(CoapQuotaSource source, ForwardedRequestBody body)
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
            if (body.Delay is var delay && delay >= longest)
            {
                (slowest, longest) = (body, delay);
            }
        }

        return slowest;
    }
}
