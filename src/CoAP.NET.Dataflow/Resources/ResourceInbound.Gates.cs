using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

// What routes may ask of a request before its handler is called.
public sealed partial class ResourceInbound
{
    private static readonly CoapResult s_freshnessRequired = CoapResults.FreshnessRequired();

    /// <summary>Whether any method of a path is served over the transport of a request. Otherwise the path is none there.</summary>
    private bool IsThere(RouteNode place, CoapRequest request)
    {
        foreach (Route? route in place.Routes)
        {
            if (route is not null && route.GetPlan(_environment).Serves(request))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a request may not come to its handler; if so the answer is given.</summary>
    private bool IsHeldBack(CoapExchange exchange, Route route, RoutePlan plan)
    {
        CoapRequest request = exchange.Request;
        if (plan.Freshness is { } maxAge && !request.IsFresh(maxAge))
        {
            Reply(exchange, s_freshnessRequired);
            return true;
        }

        if (plan.Limiter is not { } limiter)
        {
            return false;
        }

        TimeSpan? wait = null;
        Exception? error = null;
        UserCode.Enter();
        try
        {
            wait = limiter(request);
        }
#pragma warning disable CA1031 // limiters may throw anything; the peer gets 5.00
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }
        finally
        {
            UserCode.Exit();
        }

        if (error is not null)
        {
            Reply(exchange, Fail(exchange, route, error));
            return true;
        }

        if (wait is not { } time)
        {
            return false;
        }

        // At least a second: a client that waits for none comes back at once.
        double seconds = Math.Clamp(Math.Ceiling(time.TotalSeconds), 1, uint.MaxValue);
        Counters.Add(CoapCounter.RequestsLimited);
        exchange.Channel.NoteDrop(CoapCounter.RequestsLimited);
        Reply(exchange, CoapResults.TooManyRequests(TimeSpan.FromSeconds(seconds)));
        return true;
    }
}
