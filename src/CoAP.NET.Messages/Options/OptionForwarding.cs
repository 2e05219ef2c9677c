namespace CoAP.NET;

/// <summary>What a proxy does with the option when it forwards a message (RFC 7252 section 5.7.1).</summary>
public enum OptionForwarding : byte
{
    /// <summary>What the number says (RFC 7252 section 5.4.6).</summary>
    /// <remarks>The proxy forwards an option that is safe to forward, and no message with an unsafe one.</remarks>
    ByNumber,

    /// <summary>The proxy forwards the option unchanged.</summary>
    Forward,

    /// <summary>The option ends at the proxy, which may send one of its own.</summary>
    Consume,

    /// <summary>The proxy forwards no message with the option: 4.02 for a request, 5.02 for a response.</summary>
    Refuse,
}
