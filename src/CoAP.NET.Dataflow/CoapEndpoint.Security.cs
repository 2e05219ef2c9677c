using CoAP.NET.Resources;
using CoAP.NET.Transports;

namespace CoAP.NET;

// What holds for routes when some of the transports are secured (RFC 8323 chapter 9), and what is served over which of them.
public sealed partial class CoapEndpoint
{
    private bool _isSecuritySettled;

    /// <summary>
    /// Before anything is received: whether there is a secured transport among those that are listened on. Then, and when routes name schemes, what is served where is logged.
    /// </summary>
    private void SettleSecurity()
    {
        if (_isSecuritySettled || _listening.Count == 0)
        {
            return;
        }

        _isSecuritySettled = true;
        CoapTransport[] transports = [.. _listening.DistinctBy(transport => (transport.Scheme, transport.IsSecure)).OrderBy(transport => transport.Scheme, StringComparer.Ordinal)];
        string[] secured = [.. transports.Where(transport => transport.IsSecure).Select(transport => transport.Scheme).Distinct()];
        if (secured.Length != 0)
        {
            Routes.SetSecuredSchemes(secured);
        }

        (string Route, string[] Schemes)[] table;
        lock (Routes.Gate)
        {
            Route[] routes = Routes.Snapshot().Routes;
            if (secured.Length == 0 && !Array.Exists(routes, route => route.Schemes is not null))
            {
                return;
            }

            table = [.. routes.Select(route => (route.ToString(), SchemesOf(route, transports)))];
        }

        string text = string.Join(
            System.Environment.NewLine, table.Select(static row => $"{row.Route}: {(row.Schemes.Length == 0 ? "nowhere" : string.Join(", ", row.Schemes))}"));
        if (secured.Length != 0)
        {
            Log.RoutesAndSchemes(_environment.Logger, text, string.Join(", ", secured));
        }
        else
        {
            Log.RoutesOnSchemes(_environment.Logger, text);
        }

        foreach ((string route, _) in table.Where(static row => row.Schemes.Length == 0))
        {
            Log.RouteIsServedNowhere(_environment.Logger, route, string.Join(", ", transports.Select(static transport => transport.Scheme)));
        }
    }

    private static string[] SchemesOf(Route route, CoapTransport[] transports) =>
        [.. transports.Where(transport => route.IsServedOver(transport.Scheme, transport.IsSecure)).Select(transport => transport.Scheme).Distinct()];
}
