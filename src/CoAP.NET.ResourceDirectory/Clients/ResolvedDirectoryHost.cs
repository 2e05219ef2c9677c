using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>
/// Creates requests to a directory that was found by name: requests to its host go to the address that answered, with its name, so that
/// silent addresses are not tried again each time.
/// </summary>
/// <param name="Asked">The queried host; null if there is none.</param>
/// <param name="Address">The address of its name that answered; null if the endpoint resolves it for each request.</param>
internal sealed record ResolvedDirectoryHost(CoapUri? Asked, IPAddress? Address)
{
    /// <summary>Creates a request to a resource; options may add path and query later.</summary>
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
        // URIs contain the zone of an IPv6 address with an escaped percent sign (RFC 6874).
        string text = address.ToString().Replace("%", "%25", StringComparison.Ordinal);
        return address.AddressFamily == AddressFamily.InterNetworkV6 ? $"coap://[{text}]:{port}" : $"coap://{text}:{port}";
    }
}
