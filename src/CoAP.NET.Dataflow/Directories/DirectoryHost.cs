using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Directories;

/// <summary>
/// Makes requests to a directory that was found by name: what goes to its host goes to the address that answered, under its name, so that
/// addresses which are silent are not tried again each time.
/// </summary>
/// <param name="Asked">The host that was asked; null for one that nobody was asked at.</param>
/// <param name="Address">The address of its name that answered; null where the endpoint finds it for each request.</param>
internal sealed record DirectoryHost(CoapUri? Asked, IPAddress? Address)
{
    /// <summary>Makes a request to a resource, whose path and query it does not have yet where options name them.</summary>
    /// <param name="method">The method.</param>
    /// <param name="uri">The resource.</param>
    public CoapRequest To(CoapMethod method, CoapUri uri)
    {
        if (Address is null || Asked is null || uri.Scheme != Asked.Scheme || uri.Authority != Asked.Authority)
        {
            return new CoapRequest(method, uri.ToString());
        }

        CoapRequest request = new(method, OriginOf(Address, uri.Port));
        uri.AddTo(request.Options, Address, uri.Port);
        return request;
    }

    private static string OriginOf(IPAddress address, int port)
    {
        // The zone of an IPv6 address is written into URIs with an escaped percent sign (RFC 6874).
        string text = address.ToString().Replace("%", "%25", StringComparison.Ordinal);
        return address.AddressFamily == AddressFamily.InterNetworkV6 ? $"coap://[{text}]:{port}" : $"coap://{text}:{port}";
    }
}
