namespace CoAP.NET.Dtls.Records;

/// <summary>How AES protects records.</summary>
internal enum AeadMode
{
    /// <summary>Counter with CBC-MAC (RFC 6655).</summary>
    Ccm,

    /// <summary>Galois/Counter mode (RFC 5288).</summary>
    Gcm,
}
