namespace CoAP.NET.Simulation.Soak;

/// <summary>
/// A relay for TCP that cuts a connection when it is told to: both of its sides end at once, in the middle of whatever is under way.
/// </summary>
internal sealed class SoakCutter : IAsyncDisposable
{
    private readonly ConcurrentDictionary<long, (Socket Near, Socket Far)> _pairs = new();
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly IPEndPoint _target;
    private readonly Task _accepting;
    private long _next;

    public SoakCutter(IPEndPoint target)
    {
        _target = target;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        _accepting = AcceptAsync();
    }

    /// <summary>Where clients connect.</summary>
    public IPEndPoint Endpoint => (IPEndPoint)_listener.LocalEndPoint!;

    /// <summary>Connections cut.</summary>
    public int Cuts { get; private set; }

    /// <summary>Cuts the connection that stands longest.</summary>
    public void Cut()
    {
        foreach (long key in _pairs.Keys.Order().Take(1))
        {
            Cuts++;
            End(key);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting;
        foreach (long key in _pairs.Keys)
        {
            End(key);
        }
    }

    private void End(long key)
    {
        if (_pairs.TryRemove(key, out (Socket Near, Socket Far) pair))
        {
            pair.Near.Dispose();
            pair.Far.Dispose();
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                Socket near = await _listener.AcceptAsync();
                Socket far = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                near.NoDelay = true;
                await far.ConnectAsync(_target);
                long key = _next++;
                _pairs[key] = (near, far);
                _ = MoveAsync(key, near, far);
                _ = MoveAsync(key, far, near);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The listener was closed.
        }
    }

    private async Task MoveAsync(long key, Socket from, Socket to)
    {
        byte[] buffer = new byte[16 * 1024];
        try
        {
            int count;
            while ((count = await from.ReceiveAsync(buffer)) > 0)
            {
                for (int sent = 0; sent < count;)
                {
                    sent += await to.SendAsync(buffer.AsMemory(sent, count - sent));
                }
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // One of the sides has ended.
        }

        End(key);
    }
}
