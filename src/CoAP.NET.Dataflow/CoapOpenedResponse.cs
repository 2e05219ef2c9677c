namespace CoAP.NET;

/// <summary>A response whose body is held if it is small and read as a stream if it is large. See
/// <see cref="CoapRequests.OpenResponseAsync"/>.</summary>
public sealed class CoapOpenedResponse : IAsyncDisposable
{
    internal CoapOpenedResponse(CoapResponse response, CoapResponseStream? body)
    {
        Response = response;
        Body = body;
    }

    /// <summary>The response: code and options, and its payload where <see cref="Body"/> is null.</summary>
    public CoapResponse Response { get; }

    /// <summary>The body, from its first byte; null where it is the payload of <see cref="Response"/>. Reading throws when the transfer
    /// fails, or when the representation changes on the way.</summary>
    public CoapResponseStream? Body { get; }

    /// <summary>Ends the transfer of the body, if there is one.</summary>
    /// <returns>A task that ends when nothing more is sent.</returns>
    public ValueTask DisposeAsync() => Body?.DisposeAsync() ?? ValueTask.CompletedTask;
}
