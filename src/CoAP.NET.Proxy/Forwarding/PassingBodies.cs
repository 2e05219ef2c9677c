namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// The bodies of requests that come through the proxy at a time. Each has a place among the requests that are under way. When there is none
/// for a newcomer, the body gives way whose client keeps others waiting: of the source that has most, and of those the slowest; one's own
/// where one has as many as anybody. Thread-safe.
/// </summary>
/// <param name="options">How the proxy works.</param>
/// <param name="counts">Counts.</param>
/// <param name="clock">The clock.</param>
internal sealed class PassingBodies(CoapProxyOptions options, ProxyCounts counts, TimeProvider clock)
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    // What a round trip and a lost message take may pass unnoticed.
    private static readonly TimeSpan s_lenience = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapSource, HashSet<PassingBody>> _bodies = [];

    /// <summary>The answer when there is no place.</summary>
    public static CoapResult Busy => CoapResults.ServiceUnavailable(s_retryAfter);

    /// <summary>The places of requests.</summary>
    public CoapRequestShares Shares { get; } = new(options.MaxRequests, options.MaxRequestsPerSource);

    /// <summary>Takes a place for a request.</summary>
    /// <param name="source">Whose request it is.</param>
    /// <returns>Whether there was one, or somebody gave way.</returns>
    public bool TryEnter(CoapSource source)
    {
        while (!Shares.TryEnter(source))
        {
            if (!TryMakeRoom(source))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Sends on a request whose body comes in blocks: as a whole where it is small, or where the upstream or the method wants it so,
    /// otherwise while it comes. Gives the place of the request back.
    /// </summary>
    /// <param name="onward">The request.</param>
    /// <param name="source">Whose it is.</param>
    /// <param name="upstream">What asks the server.</param>
    /// <param name="send">Sends it, and makes the answer to the client.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer to the client.</returns>
    public async Task<CoapResult> PassAsync(
        CoapProxyRequest onward,
        CoapSource source,
        CoapProxyUpstream upstream,
        Func<CoapProxyRequest, CancellationToken, Task<CoapResult>> send,
        CancellationToken cancellationToken)
    {
        PassingBody body = new(onward.Received, options.Timeout, clock, cancellationToken);
        Add(source, body);
        bool hasPlace = true;
        try
        {
            // A body that says what is asked for is part of the key of the cache, so all of it must be here.
            bool streams = !onward.Code.IsSafe && upstream.StreamsBodyOf((CoapMethod)onward.Code.Value, onward.Options);
            if (!await body.TryHoldAsync(streams ? options.StreamsAbove : options.MaxBodySize).ConfigureAwait(false))
            {
                if (!streams)
                {
                    return CoapResults.RequestEntityTooLarge(options.MaxBodySize);
                }

                counts.Add(ProxyCount.StreamedUploads);
                return await send(onward.With(body), body.Ended).ConfigureAwait(false);
            }

            // The client has done its part, and waits for the server like all others.
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
                Shares.Exit(source);
            }

            body.End();
        }
    }

    private CoapResult Fail(PassingBody body)
    {
        if (body.IsEvicted)
        {
            return Busy;
        }

        if (body.WaitsForServer)
        {
            counts.Add(ProxyCount.Timeouts);
            return CoapResults.Status(CoapCode.GatewayTimeout, "The server did not take the body in time.");
        }

        counts.Add(ProxyCount.UploadsAbandoned);
        return CoapResults.Status(
            CoapCode.RequestEntityIncomplete,
            body.IsWantedAgain ? "The server wants the body again. Begin with block 0." : "The body was given up. Begin with block 0.");
    }

    private void Add(CoapSource source, PassingBody body)
    {
        lock (_gate)
        {
            if (!_bodies.TryGetValue(source, out HashSet<PassingBody>? own))
            {
                _bodies[source] = own = [];
            }

            own.Add(body);
        }
    }

    // Whether it was there: it did not give way.
    private bool Remove(CoapSource source, PassingBody body)
    {
        lock (_gate)
        {
            if (!_bodies.TryGetValue(source, out HashSet<PassingBody>? own) || !own.Remove(body))
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

    private bool TryMakeRoom(CoapSource source)
    {
        CoapSource owner;
        PassingBody? victim;
        lock (_gate)
        {
            if (_bodies.Count == 0)
            {
                return false;
            }

            // Who has most of the places is not given more of others'.
            int held = Shares.CountOf(source);
            victim = null;
            owner = source;
            int most = 0;
            foreach ((CoapSource candidate, HashSet<PassingBody> bodies) in _bodies)
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

        counts.Add(ProxyCount.UploadsEvicted);
        Shares.Exit(owner);
        victim.Stop();
        return true;
    }

    private static PassingBody? SlowestOf(HashSet<PassingBody> bodies)
    {
        PassingBody? slowest = null;
        TimeSpan longest = s_lenience;
        foreach (PassingBody body in bodies)
        {
            if (body.Debt is var debt && debt >= longest)
            {
                (slowest, longest) = (body, debt);
            }
        }

        return slowest;
    }
}
