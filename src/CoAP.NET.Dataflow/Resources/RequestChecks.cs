namespace CoAP.NET.Resources;

/// <summary>Checks of a request before its handler.</summary>
internal static class RequestChecks
{
    // One object each for all requests: results do not change once they are sent.
    private static readonly CoapResult s_fetchWithoutFormat =
        CoapResults.BadRequest("FETCH needs a Content-Format (RFC 8132 section 2.3.1).");
    private static readonly CoapResult s_unsupportedContentFormat = new(CoapCode.UnsupportedContentFormat);

    /// <summary>4.06.</summary>
    public static readonly CoapResult NotAcceptable = new(CoapCode.NotAcceptable);

    /// <summary>
    /// Returns whether any method of a path is served over the transport of a request. Otherwise the path does not exist there.
    /// </summary>
    public static bool IsThere(RouteNode place, CoapRequestContext request, CoapEnvironment environment)
    {
        foreach (Route? route in place.Routes)
        {
            if (route is not null && route.GetPlan(environment).Serves(request))
            {
                return true;
            }
        }

        return false;
    }

    // A server that is not a proxy rejects it, whatever the Uri options are: Proxy-Uri has priority over them (RFC 7252 sections 5.7.2 and
    // 5.10.2).
    public static bool AsksForProxy(CoapOptionCollection options)
    {
        for (int i = options.Count - 1; i >= 0 && options.NumberAt(i) is int number and >= OptionNumber.ProxyUri; i--)
        {
            if (number is OptionNumber.ProxyUri or OptionNumber.ProxyScheme)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns whether a request arrived over a plain transport at a route that requires a secured one.</summary>
    public static bool LacksSecurity(CoapRequestContext request, EffectiveRouteSettings plan) =>
        plan.NeedsSecurity && !request.Channel.Transport.IsSecure;

    /// <summary>Returns the refusal of a request whose formats the route does not support; null if it supports them.</summary>
    public static CoapResult? CheckFormats(CoapRequestContext request, EffectiveRouteSettings plan)
    {
        if (request.Code == CoapCode.Fetch && OptionRules.LacksContentFormat(RouteTable.OptionsOf(request)))
        {
            return s_fetchWithoutFormat;
        }

        // A payload without a Content-Format has an unknown format (RFC 7252 section 5.5.1).
        if (plan.Consumes is { } consumes
            && !request.Payload.IsEmpty
            && (request.ContentFormat is not { } format || !consumes.Contains(format)))
        {
            return s_unsupportedContentFormat;
        }

        return !plan.IgnoresAccept && plan.Produces is { } produces && request.SelectFormat(produces) is null ? NotAcceptable : null;
    }
}
