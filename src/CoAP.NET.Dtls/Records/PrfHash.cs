using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>The hash of a cipher suite's pseudorandom function. The value is its length in bytes.</summary>
internal enum PrfHash
{
    /// <summary>SHA-256: all suites of RFC 6655, RFC 7251 and those with AES-128.</summary>
    Sha256 = 32,

    /// <summary>SHA-384 (RFC 5487, RFC 5289, RFC 8442).</summary>
    Sha384 = 48,
}
