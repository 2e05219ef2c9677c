using CoAP.NET.Dtls.Credentials;

namespace CoAP.NET.Dtls;

/// <summary>A pre-shared key and its identity (RFC 7252 section 9.1.3.1), as a client uses them. Immutable.</summary>
public sealed class CoapPskCredential
{
    private readonly byte[] _key;

    /// <summary>Creates a credential.</summary>
    /// <param name="identity">
    /// The client's identity: 1 to 128 bytes of UTF-8 without NUL (RFC 4279 section 5). The client sends it unencrypted.
    /// </param>
    /// <param name="key">The key, 1 to 64 bytes; copied. Use 16 random bytes: attackers can guess short keys and words.</param>
    /// <exception cref="ArgumentException">The identity or the key is not valid.</exception>
    public CoapPskCredential(string identity, ReadOnlySpan<byte> key)
    {
        PskRules.Check(identity, key.Length);
        Identity = identity;
        _key = key.ToArray();
    }

    /// <summary>The client's identity.</summary>
    public string Identity { get; }

    /// <summary>The key.</summary>
    public ReadOnlyMemory<byte> Key => _key;

    /// <summary>Parses <c>identity:key</c>, the format of command lines and key files.</summary>
    /// <param name="text">
    /// The identity, a colon (the last one of the text), and the key: text, or <c>0x</c> and hexadecimal digits. Write a text key that
    /// contains a colon or begins with 0x in hexadecimal.
    /// </param>
    /// <returns>The credential.</returns>
    /// <exception cref="CoapCredentialException">The text has another format; the message does not contain it.</exception>
    public static CoapPskCredential Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return PskRules.TryParse(text, out string identity, out byte[] key, out string problem)
            ? Take(identity, key)
            : throw new CoapCredentialException(problem);
    }

    /// <summary>Returns the identity; never the key.</summary>
    public override string ToString() => Identity;

    private static CoapPskCredential Take(string identity, byte[] key)
    {
        CoapPskCredential credential = new(identity, key);
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(key);
        return credential;
    }
}
