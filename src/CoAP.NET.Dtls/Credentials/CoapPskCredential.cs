namespace CoAP.NET.Dtls;

/// <summary>A pre-shared key and the identity that goes with it (RFC 7252 section 9.1.3.1): what a client shows. Immutable.</summary>
public sealed class CoapPskCredential
{
    private readonly byte[] _key;

    /// <summary>Makes one.</summary>
    /// <param name="identity">Who the client is: 1 to 128 bytes of UTF-8 without NUL (RFC 4279 section 5). It is sent in the clear.</param>
    /// <param name="key">The key, 1 to 64 bytes; copied. Use random ones, 16 bytes: short ones and words are found by trying.</param>
    /// <exception cref="ArgumentException">The identity or the key cannot be used.</exception>
    public CoapPskCredential(string identity, ReadOnlyMemory<byte> key)
    {
        PskRules.Check(identity, key.Length);
        Identity = identity;
        _key = key.ToArray();
    }

    /// <summary>Who the client is.</summary>
    public string Identity { get; }

    /// <summary>The key.</summary>
    public ReadOnlyMemory<byte> Key => _key;

    /// <summary>Reads <c>identity:key</c>, as a command line or a line of a file has it.</summary>
    /// <param name="text">The identity, a colon (the last one of the text), and the key: text, or <c>0x</c> and hexadecimal digits. A key
    /// of text that holds a colon or begins with 0x has to be written in hexadecimal.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="CoapCredentialException">The text is not like that; the message does not hold it.</exception>
    public static CoapPskCredential Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return PskRules.TryParse(text, out string identity, out byte[] key, out string problem)
            ? Take(identity, key)
            : throw new CoapCredentialException(problem);
    }

    /// <summary>The identity; never the key.</summary>
    public override string ToString() => Identity;

    private static CoapPskCredential Take(string identity, byte[] key)
    {
        CoapPskCredential credential = new(identity, key);
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(key);
        return credential;
    }
}
