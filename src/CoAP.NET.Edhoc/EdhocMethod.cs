namespace CoAP.NET.Edhoc;

/// <summary>The authentication method of the two parties (RFC 9528 section 3.2).</summary>
public enum EdhocMethod
{
    /// <summary>Both sign.</summary>
    SignatureSignature = 0,

    /// <summary>The Initiator signs, the Responder has a static Diffie-Hellman key.</summary>
    SignatureStatic = 1,

    /// <summary>The Initiator has a static Diffie-Hellman key, the Responder signs.</summary>
    StaticSignature = 2,

    /// <summary>Both have static Diffie-Hellman keys. The shortest messages.</summary>
    StaticStatic = 3,
}
