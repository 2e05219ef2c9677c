using System.Collections.Concurrent;
using System.Net.Sockets;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// Stands between clients and a server on the loopback address, and loses or doubles some of the datagrams: always the same ones of each
/// direction, counted as they come.
/// </summary>
internal sealed class LossyRelay : IAsyncDisposable
{
    private const int MaxDatagram = 65_535;

    private readonly IPEndPoint _server;
    private readonly LossyPath _toServer;
    private readonly LossyPath _toClients;
    private readonly Socket _front = Bind();
    private readonly ConcurrentDictionary<IPEndPoint, Socket> _backs = new();
    private readonly ConcurrentBag<Task> _running = [];
    private readonly CancellationTokenSource _stop = new();

    public LossyRelay(IPEndPoint server, LossyPath toServer, LossyPath toClients)
    {
        _server = server;
        _toServer = toServer;
        _toClients = toClients;
        _running.Add(PassOnAsync(_front, _toServer, (data, from) => BackOf((IPEndPoint)from).SendTo(data, SocketFlags.None, _server)));
    }

    public IPEndPoint EndPoint => (IPEndPoint)_front.LocalEndPoint!;

    /// <summary>The URI of a resource of the server, by way of the relay.</summary>
    public string Uri(string path) => $"coap://{EndPoint}{path}";

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_running);
        _front.Dispose();
        foreach (Socket back in _backs.Values)
        {
            back.Dispose();
        }

        _stop.Dispose();
    }

    private static Socket Bind()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    // One socket for each client, as a network address translator has, so that the server tells them apart.
    private Socket BackOf(IPEndPoint client)
    {
        if (!_backs.TryGetValue(client, out Socket? back))
        {
            _backs[client] = back = Bind();
            _running.Add(PassOnAsync(back, _toClients, (data, _) => _front.SendTo(data, SocketFlags.None, client)));
        }

        return back;
    }

    private async Task PassOnAsync(Socket from, LossyPath path, Func<byte[], EndPoint, int> send)
    {
        byte[] buffer = new byte[MaxDatagram];
        EndPoint any = new IPEndPoint(IPAddress.Any, 0);
        while (true)
        {
            try
            {
                SocketReceiveFromResult received = await from.ReceiveFromAsync(buffer, SocketFlags.None, any, _stop.Token);
                byte[] data = buffer[..received.ReceivedBytes];
                for (int copies = path.CopiesOfNext(); copies > 0; copies--)
                {
                    send(data, received.RemoteEndPoint);
                }
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (SocketException)
            {
                // The other side is gone for now; a datagram to it is lost like others.
            }
        }
    }
}
