namespace CoAP.NET.Proxy.Upstreams;

/// <summary>The response of an upstream: a complete one, or one with a stream that only one request can take. Thread-safe.</summary>
/// <param name="code">The code.</param>
/// <param name="payload">The payload; empty if there is a stream.</param>
/// <param name="options">The options of the server. Do not change them: several clients may get them.</param>
/// <param name="body">The body from the first requested byte; null if it is the payload.</param>
internal sealed class UpstreamResponse(CoapCode code, ReadOnlyMemory<byte> payload, CoapOptionCollection options, Stream? body = null)
{
    private Stream? _body = body;

    public UpstreamResponse(CoapResult whole)
        : this(whole.Code, whole.Payload, whole.Options)
    {
    }

    public CoapCode Code => code;

    /// <summary>The payload; empty if <see cref="IsStream"/> is true.</summary>
    public ReadOnlyMemory<byte> Payload => payload;

    /// <summary>The options of the server. Do not change them.</summary>
    public CoapOptionCollection Options => options;

    public bool IsStream { get; } = body is not null;

    /// <summary>Takes the stream; the caller disposes it.</summary>
    /// <returns>Null if another caller has taken it, or it was released.</returns>
    public Stream? Take() => Interlocked.Exchange(ref _body, null);

    /// <summary>Ends the transfer, unless a caller took the stream.</summary>
    public void Release() => _ = Take()?.DisposeAsync().AsTask();
}
