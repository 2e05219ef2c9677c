namespace CoAP.NET;

/// <summary>
/// A response to a request of a <see cref="CoapStatelessClient"/>, with the state that the client had put into the token (RFC 8974 section
/// 3).
/// </summary>
public sealed class CoapStatelessResponse
{
    internal CoapStatelessResponse(CoapResponse response, ReadOnlyMemory<byte> state, TimeSpan age)
    {
        Response = response;
        State = state;
        Age = age;
    }

    /// <summary>The response, an error response too.</summary>
    public CoapResponse Response { get; }

    /// <summary>The state that was given with the request, as it was.</summary>
    public ReadOnlyMemory<byte> State { get; }

    /// <summary>How long ago the request was sent.</summary>
    public TimeSpan Age { get; }
}
