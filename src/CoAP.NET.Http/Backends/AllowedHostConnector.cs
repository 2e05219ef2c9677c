using System.Net;
using System.Net.Sockets;
using CoAP.NET.Connecting;
using CoAP.NET.Proxy;

namespace CoAP.NET.Http.Backends;

/// <summary>
/// Opens connections for a forward proxy, only to allowed hosts and to allowed addresses among the current ones of the name.
/// </summary>
/// <param name="targets">The allowed targets.</param>
/// <param name="time">The clock.</param>
internal sealed class AllowedHostConnector(CoapProxyTargets targets, TimeProvider time)
{
    private readonly CoapNameResolver _names = new(timeProvider: time);

    public SocketsHttpHandler MakeHandler() => new()
    {
        AllowAutoRedirect = false,
        UseCookies = false,
        UseProxy = false,
        AutomaticDecompression = DecompressionMethods.None,
        ConnectCallback = ConnectAsync,
    };

    private async ValueTask<Stream> ConnectAsync(SocketsHttpConnectionContext context, CancellationToken cancellationToken)
    {
        DnsEndPoint end = context.DnsEndPoint;
        CoapQuotaSource? client =
            context.InitialRequestMessage.Options.TryGetValue(CoapHttpRequestOptions.OnBehalfOf, out CoapQuotaSource source)
            ? source
            : null;
        IPAddress[] addresses = IPAddress.TryParse(end.Host, out IPAddress? literal)
            ? [literal]
            : await _names.FindAsync(end.Host, client, cancellationToken).ConfigureAwait(false);
        IPAddress[] allowed = targets.Filter(end.Host, addresses);
        if (allowed.Length == 0)
        {
            throw new SocketException((int)SocketError.HostNotFound);
        }

        Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(allowed, end.Port, cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
