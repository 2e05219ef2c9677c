namespace CoAP.NET;

/// <summary>A response whose body is in memory if it is small and a stream if it is large.</summary>
/// <remarks>See <see cref="CoapRequests.OpenResponseAsync"/>.</remarks>
public sealed class CoapOpenedResponse : IAsyncDisposable
{
    internal CoapOpenedResponse(CoapResponse response, CoapResponseStream? body)
    {
        Response = response;
        Body = body;
    }

    /// <summary>The response: code and options, and its payload if <see cref="Body"/> is null.</summary>
    public CoapResponse Response { get; }

    /// <summary>The body, from its first byte; null if it is the payload of <see cref="Response"/>.</summary>
    /// <remarks>Reading throws when the transfer fails, or when the representation changes during the transfer.</remarks>
    public CoapResponseStream? Body { get; }

    /// <summary>Ends the transfer of the body, if there is one.</summary>
    /// <returns>A task that completes when nothing more is sent.</returns>
    public ValueTask DisposeAsync() => Body?.DisposeAsync() ?? ValueTask.CompletedTask;
}
