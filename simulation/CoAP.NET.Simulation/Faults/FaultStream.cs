namespace CoAP.NET.Simulation.Faults;

/// <summary>A stream of a user that fails when a fault is due in it: while it is read, written, or closed.</summary>
internal sealed class FaultStream(FaultInjector injector, string place, byte[] content) : MemoryStream(content)
{
    public override long Length
    {
        get
        {
            injector.Hit($"{place}: Length");
            return base.Length;
        }
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        if (Position > 0 || buffer.Length > 2000)
        {
            injector.Hit($"{place}: reading");
        }

        return await base.ReadAsync(buffer, cancellationToken);
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        if (Position > 0)
        {
            injector.Hit($"{place}: writing");
        }

        await base.WriteAsync(buffer, cancellationToken);
    }

    public override ValueTask DisposeAsync()
    {
        injector.Hit($"{place}: closing");
        return base.DisposeAsync();
    }
}
