namespace CoAP.NET.Blockwise;

/// <summary>The body of a request, read block by block. One upload at a time.</summary>
internal abstract class UploadBody : IAsyncDisposable
{
    /// <summary>The number of bytes; null when it is not known.</summary>
    public abstract long? Length { get; }

    /// <summary>Reads a block. Offsets never go back but to 0, after <see cref="TryRestart"/>.</summary>
    /// <param name="offset">Where the block begins, in bytes.</param>
    /// <param name="size">How many bytes it has, unless the body ends.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The block, whose memory is not used again, and whether more bytes follow.</returns>
    public abstract ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(long offset, int size,
        CancellationToken cancellationToken);

    /// <summary>Goes back to the beginning.</summary>
    /// <returns>Whether the beginning can be read again.</returns>
    public abstract bool TryRestart();

    /// <summary>Closes what was opened for this upload.</summary>
    public abstract ValueTask DisposeAsync();
}
