namespace CoAP.NET.Requests;

/// <summary>A response whose body is in memory if it is small and a stream if it is large.</summary>
/// <remarks>See <see cref="CoapClientRequestExtensions.OpenResponseAsync"/>.</remarks>
internal sealed class CoapOpenedResponse : IAsyncDisposable
{
    private volatile bool _isStreamed;

    internal CoapOpenedResponse(int maxInMemory) => MaxInMemory = maxInMemory;

    /// <summary>The response: code and options, and its payload if <see cref="Body"/> is null.</summary>
    public CoapResponse Response { get; internal set; } = null!;

    /// <summary>The body, from its first byte; null if it is the payload of <see cref="Response"/>.</summary>
    /// <remarks>Reading throws when the transfer fails, or when the representation changes during the transfer.</remarks>
    public CoapResponseBodyStream? Body { get; private set; }

    /// <summary>The largest body that is kept in memory, in bytes.</summary>
    internal int MaxInMemory { get; }

    /// <summary>Whether the body is read from a stream; it never comes back into memory.</summary>
    internal bool IsStreamed => _isStreamed;

    /// <summary>Ends the transfer of the body, if there is one.</summary>
    /// <returns>A task that completes when nothing more is sent.</returns>
    public ValueTask DisposeAsync() => Body?.DisposeAsync() ?? ValueTask.CompletedTask;

    /// <summary>Switches to a stream that has the body from its beginning.</summary>
    /// <param name="head">The response without its body.</param>
    /// <param name="fetch">Writes the body, starting with the part in memory, until it is stopped.</param>
    internal void Begin(CoapResponse head, Func<Stream, CancellationToken, Task> fetch)
    {
        _isStreamed = true;
        Body = CoapResponseBodyStream.Begin(head, fetch);
    }
}
