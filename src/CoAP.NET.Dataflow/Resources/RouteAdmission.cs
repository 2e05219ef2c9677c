using CoAP.NET.Requests;

namespace CoAP.NET.Resources;

/// <summary>
/// Checks the conditions of a route before its handler, and at the first block of a body before the body is assembled: a peer that is not
/// admitted must not take memory.
/// </summary>
internal static class RouteAdmission
{
    private static readonly CoapResult s_freshnessRequired = CoapResults.FreshnessRequired();
    private static readonly CoapResult s_internalServerError = new(CoapCode.InternalServerError);
    private static readonly CoapResult s_admitted = new(CoapCode.Continue);

    /// <summary>Replaces the handler when filters check a first block.</summary>
    public static ValueTask<CoapResult> Admitted(CoapRequestContext request, CancellationToken cancellationToken) => new(s_admitted);

    /// <summary>Checks the freshness and the rate limiter for a request.</summary>
    /// <returns>The response that rejects the request; null if it is admitted.</returns>
    /// <exception cref="Exception">An exception of the limiter.</exception>
    public static CoapResult? CheckAdmission(CoapExchange exchange, EffectiveRouteSettings plan, CoapEnvironment environment)
    {
        CoapRequestContext request = exchange.Request;
        if (plan.Freshness is { } maxAge && !request.IsFresh(maxAge))
        {
            return s_freshnessRequired;
        }

        if (plan.Limiter is not { } limiter || exchange.Body is { IsAdmitted: true })
        {
            return null;
        }

        TimeSpan? wait;
        UserCodeScope.Enter();
        try
        {
            wait = limiter(request);
        }
        finally
        {
            UserCodeScope.Exit();
        }

        if (wait is not { } time)
        {
            return null;
        }

        // At least a second: a client with a wait of zero would come back at once.
        double seconds = Math.Clamp(Math.Ceiling(time.TotalSeconds), 1, uint.MaxValue);
        environment.Counters.Add(CoapCounter.RequestsLimited);
        exchange.Channel.NoteDrop(CoapCounter.RequestsLimited);
        return CoapResults.TooManyRequests(TimeSpan.FromSeconds(seconds));
    }

    /// <summary>Runs all checks that do not need the body, at its first block.</summary>
    /// <param name="exchange">The request with the block.</param>
    /// <param name="route">Its route.</param>
    /// <param name="plan">The plan of the route.</param>
    /// <param name="firstSegment">The index of the first path segment among the options.</param>
    /// <param name="environment">Provides counters and log.</param>
    /// <returns>The response that rejects the body; null if it is admitted.</returns>
    public static async ValueTask<CoapResult?> AdmitAsync(CoapExchange exchange, Route route, EffectiveRouteSettings plan, int firstSegment,
        CoapEnvironment environment)
    {
        CoapRequestContext request = exchange.Request;
        try
        {
            if (CheckAdmission(exchange, plan, environment) is { } held)
            {
                return held;
            }

            if (plan.Admission is not { } admission)
            {
                return null;
            }

            if (route.Template.HasParameters)
            {
                request.Route = route.GetValues(RouteTable.OptionsOf(request), firstSegment);
            }

            request.Body = new ReceivedRequestBodyState { IsIncomplete = true };
            ValueTask<CoapResult> asked;
            UserCodeScope.Enter();
            try
            {
                asked = admission(request, request.Aborted);
            }
            finally
            {
                UserCodeScope.Exit();
            }

            CoapResult? answer = await asked.ConfigureAwait(false);
            if (answer is StreamOrFileResult streamed)
            {
                // Not a rejection: the handler creates the result again for the whole request.
                if (streamed.Stream is { } stream)
                {
                    _ = ResultBodyStreamDisposer.CloseAsync(stream, route.Template.Text, environment);
                }

                return null;
            }

            return answer is null ? s_internalServerError : answer.Code == CoapCode.Continue ? null : answer;
        }
#pragma warning disable CA1031 // users' code may throw anything; the peer gets 5.00
        catch (Exception exception)
#pragma warning restore CA1031
        {
            environment.Counters.Add(CoapCounter.HandlerErrors);
            ResourceLog.HandlerFailed(environment.Logger, route.Template.Text, exception);
            return s_internalServerError;
        }
        finally
        {
            request.Body = null;
        }
    }
}
