namespace CoAP.NET.Oscore;

/// <summary>All 2^40 sequence numbers of a security context are used, so it cannot send any more (RFC 8613 section 7.2.1).</summary>
/// <remarks>The endpoint sent nothing. Agree on a new Master Secret, or run EDHOC.</remarks>
public sealed class OscoreNumbersExhaustedException : CoapException
{
    /// <summary>Creates the exception.</summary>
    public OscoreNumbersExhaustedException()
        : this("All 2^40 sequence numbers of the security context are used, so nothing more can be sent with it (RFC 8613 section "
            + "7.2.1). Agree on a new Master Secret with the peer, or run EDHOC.")
    {
    }

    /// <summary>Creates the exception.</summary>
    /// <param name="message">The event and what to do about it.</param>
    public OscoreNumbersExhaustedException(string message)
        : base(message)
    {
    }

    /// <summary>Creates the exception.</summary>
    /// <param name="message">The event and what to do about it.</param>
    /// <param name="innerException">The cause.</param>
    public OscoreNumbersExhaustedException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
