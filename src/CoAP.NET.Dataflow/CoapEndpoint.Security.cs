using CoAP.NET.Resources;

namespace CoAP.NET;

// What holds for routes when some of the transports are secured (RFC 8323 chapter 9).
public sealed partial class CoapEndpoint
{
    private bool _isSecuritySettled;

    /// <summary>Before anything is received: whether there is a secured transport among those that are listened on. Then what is served where is logged.</summary>
    private void SettleSecurity()
    {
        if (_isSecuritySettled || !_listening.Any(transport => transport.IsSecure))
        {
            return;
        }

        _isSecuritySettled = true;
        Routes.AddSecuredTransport();
        string[] all = [.. _listening.Select(transport => transport.Scheme).Distinct().Order(StringComparer.Ordinal)];
        string[] secured = [.. _listening.Where(transport => transport.IsSecure).Select(transport => transport.Scheme).Distinct().Order(StringComparer.Ordinal)];
        (string, string[])[] table;
        lock (Routes.Gate)
        {
            table = [.. Routes.Snapshot().Routes.Select(route => ($"{string.Join(' ', route.Methods)} {route.Template}", route.NeedsSecurity ? secured : all))];
        }

        Log.RoutesAndSchemes(
            _environment.Logger, string.Join(System.Environment.NewLine, table.Select(static row => $"{row.Item1}: {string.Join(", ", row.Item2)}")), string.Join(", ", secured));
    }
}
