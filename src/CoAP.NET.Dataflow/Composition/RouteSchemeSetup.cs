using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Composition;

/// <summary>Which routes are served over which schemes of an endpoint.</summary>
internal static class RouteSchemeSetup
{
    /// <summary>
    /// Tells the routes, before anything is received, which schemes are secured (RFC 8323 section 9). Logs what is served where if there
    /// are any, or if routes name schemes.
    /// </summary>
    public static void Settle(RouteTable served, IEnumerable<CoapTransport> listening, ILogger logger)
    {
        CoapTransport[] transports = [.. listening.DistinctBy(transport => (transport.Scheme, transport.IsSecure))
            .OrderBy(transport => transport.Scheme, StringComparer.Ordinal)];
        string[] secured = [.. transports.Where(transport => transport.IsSecure).Select(transport => transport.Scheme).Distinct()];
        if (secured.Length != 0)
        {
            served.SetSecuredSchemes(secured);
        }

        (string Route, string[] Schemes)[] table;
        lock (served.Gate)
        {
            Route[] routes = served.Snapshot().Routes;
            if (secured.Length == 0 && !Array.Exists(routes, route => route.Schemes is not null))
            {
                return;
            }

            table = [.. routes.Select(route => (route.ToString(), SchemesOf(route, transports)))];
        }

        string text = string.Join(
            Environment.NewLine,
            table.Select(static row => $"{row.Route}: {(row.Schemes.Length == 0 ? "nowhere" : string.Join(", ", row.Schemes))}"));
        if (secured.Length != 0)
        {
            ResourceLog.RoutesAndSchemes(logger, text, string.Join(", ", secured));
        }
        else
        {
            ResourceLog.RoutesOnSchemes(logger, text);
        }

        foreach ((string route, _) in table.Where(static row => row.Schemes.Length == 0))
        {
            ResourceLog.RouteIsServedNowhere(logger, route,
                string.Join(", ", transports.Select(static transport => transport.Scheme)));
        }
    }

    private static string[] SchemesOf(Route route, CoapTransport[] transports) =>
        [.. transports.Where(transport => route.IsServedOver(transport.Scheme, transport.IsSecure)).Select(transport => transport.Scheme)
            .Distinct()];
}
