namespace CoAP.NET.Dtls.Records;

/// <summary>The content type of a record (RFC 5246 section 6.2.1, RFC 9146 section 4).</summary>
internal enum ContentType : byte
{
    ChangeCipherSpec = 20,
    Alert = 21,
    Handshake = 22,
    ApplicationData = 23,

    /// <summary>Checks of paths (RFC 9853).</summary>
    ReturnRoutabilityCheck = 27,

    /// <summary>Encrypted together with its type; a Connection ID names the session.</summary>
    Tls12Cid = 25,
}
