using System.Globalization;
using System.Net;

namespace CoAP.NET.Simulation.Holders;

/// <summary>Where the server of a row listens, on loopback.</summary>
/// <param name="Udp">Over <c>coap</c>.</param>
/// <param name="Tcp">Over <c>coap+tcp</c>.</param>
/// <param name="Tls">Over <c>coaps+tcp</c>.</param>
/// <param name="Dtls">Over <c>coaps</c>.</param>
/// <param name="Web">Over <c>coap+ws</c>.</param>
internal sealed record HolderTarget(int Udp, int Tcp, int Tls, int Dtls, int Web)
{
    /// <summary>The addresses to which honest clients send, by scheme.</summary>
    public IReadOnlyList<string> Uris =>
        [$"coap://127.0.0.1:{Udp}", $"coap+tcp://127.0.0.1:{Tcp}", $"coaps+tcp://127.0.0.1:{Tls}", $"coaps://127.0.0.1:{Dtls}",
            $"coap+ws://127.0.0.1:{Web}"];

    /// <summary>An address on loopback.</summary>
    public static IPEndPoint At(int port) => new(IPAddress.Loopback, port);

    public static HolderTarget Parse(string text)
    {
        int[] ports = [.. text.Split(' ').Select(static port => int.Parse(port, CultureInfo.InvariantCulture))];
        return new HolderTarget(ports[0], ports[1], ports[2], ports[3], ports[4]);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Udp} {Tcp} {Tls} {Dtls} {Web}");
}
