using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

// What routes may ask of a request before its handler is called.
public sealed partial class ResourceInbound
{
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
        CoapResult? held;
        try
        {
            held = BodyAdmission.HoldBack(exchange, plan, _environment);
        }
#pragma warning disable CA1031 // limiters may throw anything; the peer gets 5.00
        catch (Exception exception)
#pragma warning restore CA1031
        {
            held = Fail(exchange, route, exception);
        }

        if (held is null)
        {
            return false;
        }

        Reply(exchange, held);
        return true;
    }
}
