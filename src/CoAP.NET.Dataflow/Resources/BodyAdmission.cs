using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

/// <summary>
/// What a route asks of a request before its handler, and of the first block of a body before it is put together: who may not come in is
/// not to take memory.
/// </summary>
internal static class BodyAdmission
{
    private static readonly CoapResult s_freshnessRequired = CoapResults.FreshnessRequired();
    private static readonly CoapResult s_internalServerError = new(CoapCode.InternalServerError);
    private static readonly CoapResult s_admitted = new(CoapCode.Continue);

    /// <summary>Stands in the place of a handler when filters are asked about a first block.</summary>
    public static ValueTask<CoapResult> Admitted(CoapRequest request, CancellationToken cancellationToken) => new(s_admitted);

    /// <summary>Asks freshness and limiter about a request.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="plan">What holds for its route.</param>
    /// <param name="environment">For the counters.</param>
    /// <returns>The answer that holds it back; null when it may come in.</returns>
    /// <exception cref="Exception">What the limiter threw.</exception>
    public static CoapResult? HoldBack(CoapExchange exchange, RoutePlan plan, CoapEnvironment environment)
    {
        CoapRequest request = exchange.Request;
        if (plan.Freshness is { } maxAge && !request.IsFresh(maxAge))
        {
            return s_freshnessRequired;
        }

        if (plan.Limiter is not { } limiter || exchange.Body is { IsAdmitted: true })
        {
            return null;
        }

        TimeSpan? wait;
        UserCode.Enter();
        try
        {
            wait = limiter(request);
        }
        finally
        {
            UserCode.Exit();
        }

        if (wait is not { } time)
        {
            return null;
        }

        // At least a second: a client that waits for none comes back at once.
        double seconds = Math.Clamp(Math.Ceiling(time.TotalSeconds), 1, uint.MaxValue);
        environment.Counters.Add(CoapCounter.RequestsLimited);
        exchange.Channel.NoteDrop(CoapCounter.RequestsLimited);
        return CoapResults.TooManyRequests(TimeSpan.FromSeconds(seconds));
    }

    /// <summary>Asks all that does not need the body about its first block.</summary>
    /// <param name="exchange">The request with the block.</param>
    /// <param name="route">Its route.</param>
    /// <param name="plan">What holds for the route.</param>
    /// <param name="firstSegment">Where its path begins among the options.</param>
    /// <param name="environment">For counters and log.</param>
    /// <returns>The answer that refuses the body; null when it may be put together.</returns>
    public static async ValueTask<CoapResult?> AdmitAsync(CoapExchange exchange, Route route, RoutePlan plan, int firstSegment,
        CoapEnvironment environment)
    {
        CoapRequest request = exchange.Request;
        try
        {
            if (HoldBack(exchange, plan, environment) is { } held)
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

            request.Body = new ExchangeBody { IsIncomplete = true };
            ValueTask<CoapResult> asked;
            UserCode.Enter();
            try
            {
                asked = admission(request, request.Aborted);
            }
            finally
            {
                UserCode.Exit();
            }

            CoapResult? answer = await asked.ConfigureAwait(false);
            if (answer is SeekableResult streamed)
            {
                // No refusal: it is given anew for the whole request.
                if (streamed.Stream is { } stream)
                {
                    OpenedStreams.Close(stream, route, environment);
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
            Log.HandlerFailed(environment.Logger, route.Template, exception);
            return s_internalServerError;
        }
        finally
        {
            request.Body = null;
        }
    }
}
