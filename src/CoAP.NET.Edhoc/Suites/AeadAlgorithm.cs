using System.Security.Cryptography;

namespace CoAP.NET.Edhoc.Suites;

/// <summary>An AEAD algorithm of COSE (RFC 9053 section 4).</summary>
internal abstract class AeadAlgorithm(string name, int keyLength, int nonceLength, int tagLength)
{
    public static AeadAlgorithm Ccm8 { get; } = new Ccm("AES-CCM-16-64-128", 8);

    public static AeadAlgorithm Ccm16 { get; } = new Ccm("AES-CCM-16-128-128", 16);

    public static AeadAlgorithm Gcm128 { get; } = new Gcm("A128GCM", 16);

    public static AeadAlgorithm Gcm256 { get; } = new Gcm("A256GCM", 32);

    public static AeadAlgorithm ChaCha20 { get; } = new ChaCha();

    public string Name { get; } = name;

    public int KeyLength { get; } = keyLength;

    public int NonceLength { get; } = nonceLength;

    public int TagLength { get; } = tagLength;

    public abstract bool IsSupported { get; }

    public byte[] Seal(ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> plaintext)
    {
        byte[] sealedBytes = new byte[plaintext.Length + TagLength];
        Encrypt(
            key, nonce, plaintext, sealedBytes.AsSpan(0, plaintext.Length), sealedBytes.AsSpan(plaintext.Length), associated);
        return sealedBytes;
    }

    public bool TryOpen(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> ciphertext,
        out byte[] plaintext)
    {
        plaintext = [];
        if (ciphertext.Length < TagLength)
        {
            return false;
        }

        byte[] opened = new byte[ciphertext.Length - TagLength];
        try
        {
            Decrypt(key, nonce, ciphertext[..opened.Length], ciphertext[opened.Length..], opened, associated);
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }

        plaintext = opened;
        return true;
    }

    protected abstract void Encrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, Span<byte> tag,
        ReadOnlySpan<byte> associated);

    protected abstract void Decrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plaintext,
        ReadOnlySpan<byte> associated);

    private sealed class Ccm(string name, int tagLength) : AeadAlgorithm(name, 16, 13, tagLength)
    {
        public override bool IsSupported => AesCcm.IsSupported;

        protected override void Encrypt(
            ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, Span<byte> tag,
            ReadOnlySpan<byte> associated)
        {
            using AesCcm aead = new(key);
            aead.Encrypt(nonce, plaintext, ciphertext, tag, associated);
        }

        protected override void Decrypt(
            ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plaintext,
            ReadOnlySpan<byte> associated)
        {
            using AesCcm aead = new(key);
            aead.Decrypt(nonce, ciphertext, tag, plaintext, associated);
        }
    }

    private sealed class Gcm(string name, int keyLength) : AeadAlgorithm(name, keyLength, 12, 16)
    {
        public override bool IsSupported => AesGcm.IsSupported;

        protected override void Encrypt(
            ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, Span<byte> tag,
            ReadOnlySpan<byte> associated)
        {
            using AesGcm aead = new(key, TagLength);
            aead.Encrypt(nonce, plaintext, ciphertext, tag, associated);
        }

        protected override void Decrypt(
            ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plaintext,
            ReadOnlySpan<byte> associated)
        {
            using AesGcm aead = new(key, TagLength);
            aead.Decrypt(nonce, ciphertext, tag, plaintext, associated);
        }
    }

    private sealed class ChaCha() : AeadAlgorithm("ChaCha20/Poly1305", 32, 12, 16)
    {
        public override bool IsSupported => ChaCha20Poly1305.IsSupported;

        protected override void Encrypt(
            ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, Span<byte> tag,
            ReadOnlySpan<byte> associated)
        {
            using ChaCha20Poly1305 aead = new(key);
            aead.Encrypt(nonce, plaintext, ciphertext, tag, associated);
        }

        protected override void Decrypt(
            ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plaintext,
            ReadOnlySpan<byte> associated)
        {
            using ChaCha20Poly1305 aead = new(key);
            aead.Decrypt(nonce, ciphertext, tag, plaintext, associated);
        }
    }
}
