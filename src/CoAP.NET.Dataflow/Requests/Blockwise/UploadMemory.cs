namespace CoAP.NET.Blockwise;

/// <summary>A body in memory; nothing is copied.</summary>
/// <param name="bytes">The body.</param>
internal sealed class UploadMemory(ReadOnlyMemory<byte> bytes) : UploadBody
{
    public override long? Length => bytes.Length;

    public override ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(long offset, int size, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> rest = bytes[(int)offset..];
        return ValueTask.FromResult(rest.Length > size ? (rest[..size], true) : (rest, false));
    }

    public override bool TryRestart() => true;

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
