using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>A bad network between one client and a server: both ways datagrams are lost, come twice, or after the next one. It forgets the client like a NAT when it is told to. The same seed does the same as far as datagrams come in the same order.</summary>
internal sealed class LossyPath : IAsyncDisposable
{
    private readonly IPEndPoint _server;
    private readonly Socket _inside = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _loops = [];
    private readonly Lock _gate = new();
    private readonly Random _random;
    private Socket _outside;
    private EndPoint? _client;

    public LossyPath(IPEndPoint server, int seed)
    {
        _server = server;
        _random = new Random(seed);
        _inside.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _outside = OpenOutside();
        _loops.Add(CarryInsideAsync());
    }

    /// <summary>Where the client sends to.</summary>
    public string Host => $"coaps://{_inside.LocalEndPoint}";

    /// <summary>How many of a hundred datagrams are lost; a third as many come twice, and as many after the next one.</summary>
    public int Loss { get; set; }

    /// <summary>After so many datagrams of the client it is forgotten, again and again; 0: never.</summary>
    public int ForgetsEvery { get; set; }

    /// <summary>How often it forgot.</summary>
    public int Forgot { get; private set; }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        _inside.Dispose();
        _outside.Dispose();
        await Task.WhenAll(_loops);
        _end.Dispose();
    }

    private Socket OpenOutside()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(_server);
        _loops.Add(CarryOutsideAsync(socket));
        return socket;
    }

    private async Task CarryInsideAsync()
    {
        byte[] buffer = new byte[4_096];
        List<byte[]> held = [];
        int carried = 0;
        try
        {
            while (true)
            {
                SocketReceiveFromResult received = await _inside.ReceiveFromAsync(buffer, new IPEndPoint(IPAddress.Any, 0), _end.Token);
                _client = received.RemoteEndPoint;
                if (ForgetsEvery > 0 && ++carried % ForgetsEvery == 0)
                {
                    _outside.Dispose();
                    _outside = OpenOutside();
                    Forgot++;
                }

                foreach (byte[] datagram in Pass(buffer.AsSpan(0, received.ReceivedBytes), held))
                {
                    await _outside.SendAsync(datagram, _end.Token);
                }
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // The end.
        }
    }

    private async Task CarryOutsideAsync(Socket socket)
    {
        byte[] buffer = new byte[4_096];
        List<byte[]> held = [];
        try
        {
            while (true)
            {
                int length = await socket.ReceiveAsync(buffer, _end.Token);
                foreach (byte[] datagram in Pass(buffer.AsSpan(0, length), held))
                {
                    await _inside.SendToAsync(datagram, _client!, _end.Token);
                }
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // Forgotten, or the end.
        }
    }

    private List<byte[]> Pass(ReadOnlySpan<byte> datagram, List<byte[]> held)
    {
        int draw;
        lock (_gate)
        {
            draw = _random.Next(100);
        }

        int loss = Loss;
        List<byte[]> passed = [];
        if (draw >= loss)
        {
            byte[] copy = datagram.ToArray();
            if (draw < loss + (loss / 3) && held.Count == 0)
            {
                held.Add(copy);
                return passed;
            }

            passed.Add(copy);
            if (draw >= 100 - (loss / 3))
            {
                passed.Add(copy);
            }
        }

        passed.AddRange(held);
        held.Clear();
        return passed;
    }
}
