namespace CoAP.NET.Proxy.Upstreams;

/// <summary>What an upstream answered: a whole answer, or one whose body comes as a stream, which one request can take.
/// Thread-safe.</summary>
/// <param name="code">The code.</param>
/// <param name="payload">The payload; empty where there is a stream.</param>
/// <param name="options">The options as the server gave them. Not to be changed: several clients may get them.</param>
/// <param name="body">The body from the first byte that was asked for; null where it is the payload.</param>
internal sealed class UpstreamAnswer(CoapCode code, ReadOnlyMemory<byte> payload, CoapOptionCollection options, Stream? body = null)
{
    private Stream? _body = body;

    /// <summary>Makes a whole answer.</summary>
    /// <param name="whole">The answer.</param>
    public UpstreamAnswer(CoapResult whole)
        : this(whole.Code, whole.Payload, whole.Options)
    {
    }

    /// <summary>The code.</summary>
    public CoapCode Code => code;

    /// <summary>The payload; empty where <see cref="IsStream"/> is true.</summary>
    public ReadOnlyMemory<byte> Payload => payload;

    /// <summary>The options as the server gave them. Not to be changed.</summary>
    public CoapOptionCollection Options => options;

    /// <summary>Whether the body comes as a stream.</summary>
    public bool IsStream { get; } = body is not null;

    /// <summary>Takes the stream, which whoever takes it disposes.</summary>
    /// <returns>Null when somebody else has it, or it was let go.</returns>
    public Stream? Take() => Interlocked.Exchange(ref _body, null);

    /// <summary>Nobody wants the rest: the transfer ends, unless somebody took it.</summary>
    public void LetGo() => _ = Take()?.DisposeAsync().AsTask();
}
