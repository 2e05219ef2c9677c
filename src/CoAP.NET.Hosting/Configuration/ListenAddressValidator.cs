using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>Validates an address to listen on before the endpoint exists.</summary>
internal static class ListenAddressValidator
{
    public static ConfigurationValueSyntax Syntax { get; } = ConfigurationValueSyntax.Text(
        "URI with scheme, host and port such as coap://*:5683, without path, no group",
        static text => Check(text) is null ? text : null);

    /// <summary>Returns the problem of an address; null for none.</summary>
    public static string? Check(string text)
    {
        // The asterisk is not a valid host of a URI; it is the usual notation for all addresses.
        string normal = text.Replace("://*", "://[::]", StringComparison.Ordinal);
        if (!CoapUri.TryParse(normal, out CoapUri? uri))
        {
            return CoapUri.ProblemOf(normal);
        }

        if (uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            return "An address to listen on must have no path and no query.";
        }

        return uri.HostAddress is { } address && IsGroup(address)
            ? "A server joins a group, and cannot listen on it: listen on coap://* and set JoinGroups."
            : null;
    }

    public static bool IsGroup(IPAddress address) =>
        address.AddressFamily == AddressFamily.InterNetworkV6 ? address.IsIPv6Multicast : (address.GetAddressBytes()[0] & 0xF0) == 0xE0;
}
