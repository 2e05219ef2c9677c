namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>Bytes of which the later ones come only when somebody says so.</summary>
/// <param name="bytes">All of them.</param>
/// <param name="held">From where on they wait.</param>
/// <param name="opened">Ends when they may come.</param>
internal sealed class GateStream(byte[] bytes, long held, Task opened) : MemoryStream(bytes, writable: false)
{
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (Position + buffer.Length > held)
        {
            await opened.WaitAsync(cancellationToken);
        }

        return Read(buffer.Span);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
}
