namespace CoAP.NET.Stateless;

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

    /// <summary>The response, which may be an error response.</summary>
    public CoapResponse Response { get; }

    /// <summary>The unchanged state of the request.</summary>
    public ReadOnlyMemory<byte> State { get; }

    /// <summary>The time since the request was sent.</summary>
    public TimeSpan Age { get; }
}
