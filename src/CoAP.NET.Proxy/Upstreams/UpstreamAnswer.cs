namespace CoAP.NET.Proxy.Upstreams;

/// <summary>What an upstream answered: a whole answer, or one whose body comes as a stream, which one request can take.
/// Thread-safe.</summary>
/// <param name="head">The answer, with its payload where there is no stream.</param>
/// <param name="body">The body from the first byte that was asked for; null where it is the payload.</param>
internal sealed class UpstreamAnswer(CoapResult head, Stream? body = null)
{
    private Stream? _body = body;

    /// <summary>Code and options; the payload where <see cref="IsStream"/> is false.</summary>
    public CoapResult Head => head;

    /// <summary>Whether the body comes as a stream.</summary>
    public bool IsStream { get; } = body is not null;

    /// <summary>Takes the stream, which whoever takes it disposes.</summary>
    /// <returns>Null when somebody else has it, or it was let go.</returns>
    public Stream? Take() => Interlocked.Exchange(ref _body, null);

    /// <summary>Nobody wants the rest: the transfer ends, unless somebody took it.</summary>
    public void LetGo() => _ = Take()?.DisposeAsync().AsTask();
}
