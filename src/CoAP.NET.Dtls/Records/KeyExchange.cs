namespace CoAP.NET.Dtls.Records;

/// <summary>How a cipher suite agrees on the secret of a session.</summary>
internal enum KeyExchange
{
    /// <summary>By a pre-shared key alone (RFC 4279): who gets the key reads earlier sessions.</summary>
    Psk,

    /// <summary>By a pre-shared key and ephemeral keys (RFC 5489, RFC 8442).</summary>
    EcdhePsk,

    /// <summary>By ephemeral keys that the server signs (RFC 8422).</summary>
    EcdheEcdsa,
}
