namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>All defects of proxies that can be planted, by the word for the command line.</summary>
internal static class ProxyPlants
{
    public static IReadOnlyDictionary<string, ProxyPlant> All { get; } = new SortedDictionary<string, ProxyPlant>(StringComparer.Ordinal)
    {
        ["swapped-answers"] = new("each request is given the answer to the one before", ProxyCheck.RightAnswer, () =>
        {
            CoapResult? before = null;
            return async (request, next, token) =>
            {
                CoapResult result = await next(request, token);
                return IsFor(request, "/echo/") && result.Code.Class == 2 ? Interlocked.Exchange(ref before, result) ?? result : result;
            };
        }),
        ["cut-body"] = new("answers end after 1,000 bytes", ProxyCheck.Bodies, () => async (request, next, token) =>
        {
            CoapResult result = await next(request, token);
            return IsFor(request, "/echo/") && result.Payload.Length > 1000 ? new CoapResult(result.Code, result.Payload[..1000]) : result;
        }),
        ["twice"] = new("each POST is sent on twice", ProxyCheck.RunsOnce, () => async (request, next, token) =>
        {
            CoapResult result = await next(request, token);
            return request.Method == CoapMethod.Post ? await next(request, token) : result;
        }),
        ["wrong-code"] = new("errors of servers become 5.00", ProxyCheck.Errors, () => async (request, next, token) =>
        {
            CoapResult result = await next(request, token);
            return IsFor(request, "/error/") && result.Code.Class is 4 or 5 && result.Code != CoapCode.Unauthorized
                ? CoapResults.Status(CoapCode.InternalServerError, "oh") : result;
        }),
        ["lost-request"] = new("every request for what is kept fails", ProxyCheck.Served, () => (request, next, token) =>
            IsFor(request, "/kept/") ? new ValueTask<CoapResult>(CoapResults.Status(CoapCode.GatewayTimeout)) : next(request, token)),
        ["no-max-age"] = new("the cache never forgets", ProxyCheck.Fresh, () =>
        {
            ConcurrentDictionary<string, CoapResult> kept = [];
            return async (request, next, token) =>
            {
                if (IsFor(request, "/kept/") && request.Method == CoapMethod.Get
                    && kept.TryGetValue(TargetOf(request), out CoapResult? there))
                {
                    return there;
                }

                CoapResult result = await next(request, token);
                if (IsFor(request, "/kept/") && result.Code == CoapCode.Content)
                {
                    kept[TargetOf(request)] = result;
                }

                return result;
            };
        }),
        ["no-countdown"] = new("an answer from the cache has its whole Max-Age again", ProxyCheck.Fresh, () =>
            async (request, next, token) =>
            {
                CoapResult result = await next(request, token);
                if (!IsFor(request, "/kept/1") || result.Code != CoapCode.Content)
                {
                    return result;
                }

                CoapResult whole = new(result.Code, result.Payload);
                return whole.WithMaxAge(ProxyOrigin.AgeOf(1));
            }),
        ["no-invalidation"] = new("a cache keeps what a PUT has changed", ProxyCheck.Invalidated, () =>
        {
            // Not for longer than it may: it is found by nothing but what follows a PUT.
            ConcurrentDictionary<string, CoapResult> before = [];
            ConcurrentDictionary<string, bool> changed = [];
            return async (request, next, token) =>
            {
                if (!IsFor(request, "/kept/"))
                {
                    return await next(request, token);
                }

                CoapResult result = await next(request, token);
                string target = TargetOf(request);
                if (request.Method == CoapMethod.Put)
                {
                    changed[target] = true;
                }
                else if (changed.TryRemove(target, out _) && before.TryGetValue(target, out CoapResult? old))
                {
                    return old;
                }
                else if (result.Code == CoapCode.Content)
                {
                    before[target] = result;
                }

                return result;
            };
        }),
        ["asked-twice"] = new("equal requests are each sent on", ProxyCheck.SingleFlight, () => async (request, next, token) =>
        {
            CoapResult result = await next(request, token);
            return IsFor(request, "/slow/") && result.Code.Class == 2 ? await next(request, token) : result;
        }),
        ["shared-identity"] = new("what depends on who asks is shared with others who ask at the same time", ProxyCheck.Identity),
        ["shared-secret"] = new("the cache keeps what came over a secured transport", ProxyCheck.Identity, () =>
        {
            CoapResult? kept = null;
            return async (request, next, token) =>
            {
                if (!IsFor(request, "/own"))
                {
                    return await next(request, token);
                }

                CoapResult result = kept ?? await next(request, token);
                kept = result.Code == CoapCode.Content ? result : null;
                return result;
            };
        }),
        ["no-hop-limit"] = new("Hop-Limit is not counted", ProxyCheck.HopLimit, () => (request, next, token) =>
        {
            request.Options.Remove(OptionNumber.HopLimit);
            return next(request, token);
        }),
        ["reused-token"] = new("all requests have the same token", ProxyCheck.Tokens),
        ["second-registration"] = new("a server has a registration too many", ProxyCheck.OneRegistration),
        ["old-state"] = new("observers are told the state before", ProxyCheck.LastState, () =>
        {
            ConcurrentDictionary<string, CoapResult> before = [];
            return async (request, next, token) =>
            {
                CoapResult result = await next(request, token);
                return request.IsForObservers && result.Code.Class == 2 ? before.GetOrAdd(TargetOf(request), result) : result;
            };
        }),
        ["no-end"] = new("observers are not told of the end", ProxyCheck.EndPassed, () =>
        {
            ConcurrentDictionary<string, CoapResult> before = [];
            return async (request, next, token) =>
            {
                CoapResult result = await next(request, token);
                if (!IsFor(request, "/state/"))
                {
                    return result;
                }

                if (result.Code == CoapCode.NotFound)
                {
                    return before.GetValueOrDefault(TargetOf(request)) ?? result;
                }

                if (result.Code == CoapCode.Content)
                {
                    before[TargetOf(request)] = result;
                }

                return result;
            };
        }),
        ["left-observer"] = new("an observer stays for ever", ProxyCheck.Quiet),
    };

    private static string TargetOf(CoapRequestContext request) =>
        $"{request.Options.ProxyUri} {request.Options.ProxyScheme} {request.Options.UriHost} /{string.Join('/', request.Options.UriPath)}";

    private static bool IsFor(CoapRequestContext request, string path) => TargetOf(request).Contains(path);
}

/// <summary>A defect that is put in on purpose, to see that the checks find it.</summary>
/// <param name="Summary">What is wrong, in a few words.</param>
/// <param name="FoundBy">By which check it has to be found.</param>
/// <param name="Filter">Makes what stands between the first proxy and its clients; null where the defect is elsewhere.</param>
internal sealed record ProxyPlant(
    string Summary, ProxyCheck FoundBy,
    Func<Func<CoapRequestContext, CoapHandler, CancellationToken, ValueTask<CoapResult>>>? Filter = null);
