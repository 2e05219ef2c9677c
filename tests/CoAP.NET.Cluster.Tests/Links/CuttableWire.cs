using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Cluster.Tests.Links;

/// <summary>A place in front of a node that hands on connections until it is cut.</summary>
internal sealed class CuttableWire : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Lock _gate = new();
    private readonly List<TcpClient> _open = [];
    private readonly Task _accepting;
    private bool _isCut;

    public CuttableWire()
    {
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public string Address => $"coaps+tcp://{_listener.LocalEndpoint}";

    /// <summary>The port of the node behind it.</summary>
    public int Target { get; set; }

    /// <summary>Ends all connections; new ones end at once until <see cref="Mend"/>.</summary>
    public void Cut()
    {
        lock (_gate)
        {
            _isCut = true;
            _open.ForEach(static client => client.Dispose());
            _open.Clear();
        }
    }

    public void Mend()
    {
        lock (_gate)
        {
            _isCut = false;
        }
    }

    public async ValueTask DisposeAsync()
    {
        Cut();
        _listener.Dispose();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            TcpClient near;
            try
            {
                near = await _listener.AcceptTcpClientAsync();
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                return;
            }

            _ = CarryAsync(near);
        }
    }

    private async Task CarryAsync(TcpClient near)
    {
        using TcpClient inward = near;
        using TcpClient far = new();
        lock (_gate)
        {
            if (_isCut || Target == 0)
            {
                return;
            }

            _open.AddRange([near, far]);
        }

        try
        {
            await far.ConnectAsync(IPAddress.Loopback, Target);
            await Task.WhenAny(near.GetStream().CopyToAsync(far.GetStream()), far.GetStream().CopyToAsync(near.GetStream()));
        }
        catch (Exception exception) when (exception is IOException or SocketException or ObjectDisposedException
            or InvalidOperationException)
        {
            // It was cut.
        }
    }
}
