namespace CoAP.NET.Blockwise;

/// <summary>Where the blocks of a response's body go.</summary>
internal abstract class DownloadSink
{
    /// <summary>Takes the next bytes.</summary>
    /// <param name="block">The bytes.</param>
    /// <param name="total">The body size that the server reports; null if it reports none. A hint.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if there is no room for them.</returns>
    public abstract ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> block, long? total, CancellationToken cancellationToken);

    /// <summary>Takes back everything that was written.</summary>
    /// <returns>Whether that is possible.</returns>
    public abstract bool TryRestart();

    /// <summary>The payload of the response: what was written, or nothing when it went elsewhere.</summary>
    public abstract ReadOnlyMemory<byte> ToPayload();
}
