namespace CoAP.NET.Dtls.Records;

/// <summary>What a record holds (RFC 5246 section 6.2.1, RFC 9146 section 4).</summary>
internal enum ContentType : byte
{
    ChangeCipherSpec = 20,
    Alert = 21,
    Handshake = 22,
    ApplicationData = 23,

    /// <summary>Encrypted with its type, and found by a Connection ID.</summary>
    Tls12Cid = 25,
}
