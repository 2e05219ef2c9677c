namespace CoAP.NET.Cryptography;

/// <summary>HMAC with SHA-256 (RFC 2104) in managed code, for the reasons of <see cref="Sha256"/>. It allocates nothing.</summary>
/// <remarks>A copy continues independently of the original: one object serves for many messages with one key.</remarks>
internal struct HmacSha256
{
    private Sha256 _inner;
    private Sha256 _outer;

    /// <summary>Begins a code.</summary>
    /// <param name="key">The key, of any length.</param>
    public HmacSha256(ReadOnlySpan<byte> key)
    {
        Span<byte> pad = stackalloc byte[Sha256.BlockLength];
        pad.Clear();
        if (key.Length > pad.Length)
        {
            Sha256.HashData(key, pad);
        }
        else
        {
            key.CopyTo(pad);
        }

        _inner = new Sha256();
        _outer = new Sha256();
        Xor(pad, 0x36);
        _inner.Append(pad);
        Xor(pad, 0x36 ^ 0x5c);
        _outer.Append(pad);
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(pad);
    }

    /// <summary>Computes the code of a message.</summary>
    /// <param name="key">The key.</param>
    /// <param name="source">The message.</param>
    /// <param name="destination">At least <see cref="Sha256.HashLength"/> bytes; may overlap the message.</param>
    public static void HashData(ReadOnlySpan<byte> key, ReadOnlySpan<byte> source, Span<byte> destination)
    {
        HmacSha256 code = new(key);
        code.Append(source);
        code.Finish(destination);
    }

    public void Append(ReadOnlySpan<byte> source) => _inner.Append(source);

    /// <summary>Completes the code and wipes this object.</summary>
    /// <param name="destination">At least <see cref="Sha256.HashLength"/> bytes.</param>
    public void Finish(Span<byte> destination)
    {
        destination = destination[..Sha256.HashLength];
        _inner.Finish(destination);
        _outer.Append(destination);
        _outer.Finish(destination);
    }

    /// <summary>Wipes this object, which holds what derives from the key.</summary>
    public void Wipe()
    {
        _inner.Wipe();
        _outer.Wipe();
    }

    private static void Xor(Span<byte> bytes, byte mask)
    {
        foreach (ref byte one in bytes)
        {
            one ^= mask;
        }
    }
}
