namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>A store of resumable sessions outside of the servers that share it.</summary>
internal sealed class SharedSessions : ICoapDtlsResumptionStore
{
    /// <summary>What it has, by name.</summary>
    public ConcurrentDictionary<string, byte[]> States { get; } = new(StringComparer.Ordinal);

    /// <summary>What calls wait for; null: nothing.</summary>
    public Task? Gate { get; set; }

    /// <summary>How many calls began.</summary>
    public int Calls { get; private set; }

    public async ValueTask AddAsync(
        ReadOnlyMemory<byte> id, ReadOnlyMemory<byte> state, DateTimeOffset expires, CancellationToken cancellationToken)
    {
        byte[] copy = state.ToArray();
        await PassAsync();
        States[Convert.ToHexString(id.Span)] = copy;
    }

    public async ValueTask<byte[]?> FindAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken)
    {
        await PassAsync();
        return States.TryGetValue(Convert.ToHexString(id.Span), out byte[]? state) ? [.. state] : null;
    }

    public async ValueTask RemoveAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken)
    {
        await PassAsync();
        States.TryRemove(Convert.ToHexString(id.Span), out _);
    }

    private Task PassAsync()
    {
        Calls++;
        return Gate ?? Task.CompletedTask;
    }
}
