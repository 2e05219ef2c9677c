namespace CoAP.NET.Oscore;

/// <summary>
/// All 2^40 sequence numbers of a security context are used, so nothing more can be sent with it (RFC 8613 section 7.2.1). Agree on a new
/// Master Secret, or run EDHOC. Nothing was sent.
/// </summary>
public sealed class OscoreNumbersExhaustedException : CoapException
{
    /// <summary>Makes an exception.</summary>
    public OscoreNumbersExhaustedException()
        : this("All 2^40 sequence numbers of the security context are used, so nothing more can be sent with it (RFC 8613 section "
            + "7.2.1). Agree on a new Master Secret with the peer, or run EDHOC.")
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    public OscoreNumbersExhaustedException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public OscoreNumbersExhaustedException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
