using System.Globalization;
using System.Net;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// libcoap's example server on a free port of 127.0.0.1: <c>/</c>, <c>/time</c> (observable), <c>/async?N</c>, <c>/example_data</c> (PUT), and resources that a PUT makes.
/// It listens for UDP and TCP.
/// </summary>
internal sealed class LibcoapServer : IAsyncDisposable
{
    public const string Program = "coap-server-notls";

    private const int Attempts = 5;

    private LibcoapServer(PeerProcess process, IPEndPoint endPoint)
    {
        Process = process;
        EndPoint = endPoint;
    }

    public PeerProcess Process { get; }

    public IPEndPoint EndPoint { get; }

    /// <summary>Its address as a URI with a path: <c>coap://127.0.0.1:41234/time</c>.</summary>
    public Uri Uri(string path = "/", string scheme = "coap") => new($"{scheme}://{EndPoint}{path}");

    /// <summary>Starts it and waits until it answers.</summary>
    /// <param name="arguments">More arguments, such as <c>-e</c> or <c>-l 50%</c>.</param>
    public static async Task<LibcoapServer> StartAsync(params string[] arguments)
    {
        string failure = string.Empty;
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            IPEndPoint endPoint = new(IPAddress.Loopback, LoopbackPort.FindFree());
            PeerProcess process = PeerProcess.Start(
                Program,
                ["-A", endPoint.Address.ToString(), "-p", endPoint.Port.ToString(CultureInfo.InvariantCulture), "-d", "100", .. arguments]);
            if (await CoapPing.WaitAsync(endPoint, isOver: () => process.HasExited))
            {
                return new LibcoapServer(process, endPoint);
            }

            failure = process.Say("did not answer a ping");
            await process.DisposeAsync();
        }

        throw new InvalidOperationException(failure);
    }

    public ValueTask DisposeAsync() => Process.DisposeAsync();
}
