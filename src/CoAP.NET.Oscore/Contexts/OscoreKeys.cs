using System.Security.Cryptography;

namespace CoAP.NET.Oscore;

/// <summary>What is derived of the parameters of a context (RFC 8613 section 3.2): the ciphers of both directions and the Common
/// IV.</summary>
internal sealed class OscoreKeys : IDisposable
{
    private readonly byte[] _commonIv;

    /// <summary>Derives the keys.</summary>
    /// <param name="parameters">The parameters.</param>
    /// <exception cref="PlatformNotSupportedException">The platform lacks the cipher.</exception>
    public OscoreKeys(OscoreParameters parameters)
    {
        OscoreAlgorithm algorithm = parameters.Algorithm;
        algorithm.ThrowIfUnsupported();
        Span<byte> key = stackalloc byte[algorithm.KeyLength];
        try
        {
            Derive(parameters, parameters.SenderId.Span, "Key"u8, key);
            Sender = new OscoreAead(algorithm, key);
            Derive(parameters, parameters.RecipientId.Span, "Key"u8, key);
            Recipient = new OscoreAead(algorithm, key);
            _commonIv = new byte[algorithm.NonceLength];
            Derive(parameters, default, "IV"u8, _commonIv);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    /// <summary>Encrypts what this end sends.</summary>
    public OscoreAead Sender { get; }

    /// <summary>Decrypts what the other end sent.</summary>
    public OscoreAead Recipient { get; }

    /// <summary>The Common IV.</summary>
    public ReadOnlySpan<byte> CommonIv => _commonIv;

    /// <summary>Writes the nonce of a Partial IV (RFC 8613 section 5.2).</summary>
    /// <param name="id">The Sender ID of the end that took the number.</param>
    /// <param name="partialIv">The Partial IV, 1 to 5 bytes.</param>
    /// <param name="nonce">As many bytes as a nonce has.</param>
    public void WriteNonce(ReadOnlySpan<byte> id, ReadOnlySpan<byte> partialIv, Span<byte> nonce)
    {
        nonce.Clear();
        nonce[0] = (byte)id.Length;
        id.CopyTo(nonce[(nonce.Length - OscoreOptionValue.MaxPartialIvLength - id.Length)..]);
        partialIv.CopyTo(nonce[(nonce.Length - partialIv.Length)..]);
        for (int i = 0; i < nonce.Length; i++)
        {
            nonce[i] ^= _commonIv[i];
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Sender.Dispose();
        Recipient.Dispose();
        CryptographicOperations.ZeroMemory(_commonIv);
    }

    /// <summary>Derives a key or the Common IV (RFC 8613 section 3.2.1).</summary>
    /// <param name="parameters">The parameters.</param>
    /// <param name="id">The ID whose key it is; none of the Common IV.</param>
    /// <param name="type"><c>Key</c> or <c>IV</c>.</param>
    /// <param name="output">As many bytes as are wanted.</param>
    internal static void Derive(OscoreParameters parameters, ReadOnlySpan<byte> id, ReadOnlySpan<byte> type, Span<byte> output)
    {
        // info = [ id : bstr, id_context : bstr / nil, alg_aead : int, type : tstr, L : uint ]
        Span<byte> info = stackalloc byte[32 + id.Length + parameters.IdContextBytes.Length];
        int length = 0;
        info[length++] = 0x85;
        length += CborHead.WriteBytes(info[length..], id);
        if (parameters.HasIdContext)
        {
            length += CborHead.WriteBytes(info[length..], parameters.IdContextBytes);
        }
        else
        {
            info[length++] = CborHead.Nil;
        }

        length += CborHead.WriteInteger(info[length..], parameters.Algorithm.CoseNumber);
        info[length++] = (byte)(0x60 | type.Length);
        type.CopyTo(info[length..]);
        length += type.Length;
        length += CborHead.WriteInteger(info[length..], output.Length);

        OscoreHkdf hkdf = parameters.Hkdf;
        Span<byte> secret = stackalloc byte[hkdf.HashLength];
        HKDF.Extract(hkdf.Hash, parameters.MasterSecret, parameters.MasterSalt.Span, secret);
        HKDF.Expand(hkdf.Hash, secret, output, info[..length]);
        CryptographicOperations.ZeroMemory(secret);
    }
}
