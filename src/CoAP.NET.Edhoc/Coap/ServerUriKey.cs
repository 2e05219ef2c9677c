using System.Net;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>Scheme, host and port of a server, as a key.</summary>
internal static class ServerUriKey
{
    /// <summary>Returns the same text for all URIs of a server.</summary>
    public static string Of(CoapUri uri) => FormattableString.Invariant($"{uri.Scheme}://{uri.Host.ToLowerInvariant()}:{uri.Port}");

    /// <summary>Returns the name or address that a certificate of the server carries.</summary>
    public static string HostOf(CoapUri uri) =>
        uri.HostAddress is { } address ? new IPAddress(address.GetAddressBytes()).ToString() : uri.Host.TrimEnd('.');
}
