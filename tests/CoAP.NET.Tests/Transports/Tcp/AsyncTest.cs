using System.Net;
using CoAP.NET.Testing;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>A transport with real sockets behind an <see cref="AsyncContext"/>.</summary>
public abstract class AsyncTest : IAsyncLifetime
{
    private CoapTcpTransport? _transport;

    protected VirtualClock Clock { get; } = new();

    private protected CoapTcpTransportOptions Options { get; } = new() { Engine = CoapSocketEngine.Portable };

    private protected AsyncContext Context => field ??= MakeContext();

    private protected CoapTcpTransport Transport => _transport ?? throw new InvalidOperationException("not started");

    protected CoapAddress Address => Assert.Single(Transport.LocalAddresses);

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        if (_transport is not null)
        {
            await _transport.DisposeAsync();
        }
    }

    private protected virtual AsyncContext MakeContext() => new() { Time = Clock };

    private protected async Task ListenAsync()
    {
        Options.Endpoints.Add(new IPEndPoint(IPAddress.Loopback, 0));
        await StartAsync();
    }

    private protected async Task StartAsync()
    {
        _transport = new CoapTcpTransport(Options);
        await _transport.StartAsync(Context, CancellationToken.None);
    }

    /// <summary>A peer that connected, and the connection that came of it.</summary>
    private protected async Task<(AsyncPeer Peer, CoapConnection Connection)> ConnectAsync()
    {
        AsyncPeer peer = await AsyncPeer.ConnectAsync(Address);
        return (peer, await Context.NextOpenedAsync());
    }

    /// <summary>Waits for something that has no event; a guard against hanging, no assertion about time.</summary>
    private protected static Task UntilAsync(Func<bool> condition) => Eventually.IsTrueAsync(condition);

    protected static Task Within(Task task) => task.WaitAsync(FromMinutes(2));

    protected static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));
}
