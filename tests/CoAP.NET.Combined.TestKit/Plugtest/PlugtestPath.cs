using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>What stands between the client and the server of a bench: nothing, unless another class says more.</summary>
public class PlugtestPath : IAsyncDisposable
{
    /// <summary>Errors of stages of the hosts in between.</summary>
    public virtual long StageErrors => 0;

    /// <summary>Whether nothing in between observes the server any more.</summary>
    public virtual bool IsIdle => true;

    /// <summary>The transport of the client.</summary>
    public virtual CoapTransport CreateClientTransport(InMemoryNetwork network, CoapAddress address) => network.CreateTransport(address);

    /// <summary>The transport of the server.</summary>
    public virtual CoapTransport CreateServerTransport(InMemoryNetwork network, CoapAddress address) => network.CreateTransport(address);

    /// <summary>Switches on what stands in between.</summary>
    public virtual Task StartAsync(PlugtestBench bench) => Task.CompletedTask;

    /// <summary>The request that the client sends in the place of one to the server.</summary>
    public virtual CoapRequest Through(CoapRequest request) => request;

    /// <summary>Switches it off.</summary>
    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
