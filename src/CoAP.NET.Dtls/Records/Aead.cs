using System.Diagnostics;
using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// Encrypts and decrypts with raw keys. Sessions hold no native object: each thread has a context per algorithm, which gets the key with
/// each record. For AES with 128 bits that is cheaper than an object per session, and a forged record costs no exception.
/// </summary>
internal static unsafe class Aead
{
    private const int NonceLength = CipherSuite.SaltLength + CipherSuite.ExplicitNonceLength;
    private const int Kinds = 8;

    [ThreadStatic]
    private static Contexts? t_contexts;

    /// <summary>Encrypts in place and makes the tag.</summary>
    /// <param name="suite">The cipher suite.</param>
    /// <param name="key">16 bytes.</param>
    /// <param name="nonce">12 bytes, never the same twice under one key.</param>
    /// <param name="associated">The additional authenticated data.</param>
    /// <param name="content">The bytes to encrypt, in place.</param>
    /// <param name="tag">Receives the tag; as long as the suite says.</param>
    public static void Seal(CipherSuite suite, ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated,
        Span<byte> content, Span<byte> tag)
    {
        Debug.Assert(key.Length == CipherSuite.KeyLength && nonce.Length == NonceLength && tag.Length == suite.TagLength,
            "The suite says how long they are.");
        nint context = Context(suite, seals: true);
        int written;
        fixed (byte* keyPointer = key, noncePointer = nonce, associatedPointer = associated, contentPointer = content, tagPointer = tag)
        {
            // A null pointer would mean something else to OpenSSL.
            byte empty;
            byte* bytes = content.IsEmpty ? &empty : contentPointer;
            bool isDone = LibCrypto.EVP_CipherInit_ex(context, 0, 0, keyPointer, noncePointer, 1) == 1
                && (suite.Mode != AeadMode.Ccm || LibCrypto.EVP_CipherUpdate(context, null, &written, null, content.Length) == 1)
                && LibCrypto.EVP_CipherUpdate(context, null, &written, associatedPointer, associated.Length) == 1
                && LibCrypto.EVP_CipherUpdate(context, bytes, &written, bytes, content.Length) == 1
                && LibCrypto.EVP_CipherFinal_ex(context, &empty, &written) == 1
                && LibCrypto.EVP_CIPHER_CTX_ctrl(context, LibCrypto.EVP_CTRL_AEAD_GET_TAG, tag.Length, tagPointer) == 1;
            if (!isDone)
            {
                throw new InvalidOperationException($"OpenSSL does not seal with {suite}: {LibCrypto.TakeError()}");
            }
        }
    }

    /// <summary>Decrypts in place, if the record is authentic.</summary>
    /// <param name="suite">The cipher suite.</param>
    /// <param name="key">16 bytes.</param>
    /// <param name="nonce">12 bytes.</param>
    /// <param name="associated">The additional authenticated data.</param>
    /// <param name="content">The bytes to decrypt, in place; without meaning if it was forged.</param>
    /// <param name="tag">The received tag.</param>
    /// <returns>Whether the record is authentic under this key, nonce and associated data.</returns>
    public static bool TryOpen(CipherSuite suite, ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated,
        Span<byte> content, ReadOnlySpan<byte> tag)
    {
        Debug.Assert(key.Length == CipherSuite.KeyLength && nonce.Length == NonceLength && tag.Length == suite.TagLength,
            "The suite says how long they are.");
        nint context = Context(suite, seals: false);
        int written;
        fixed (byte* keyPointer = key, noncePointer = nonce, associatedPointer = associated, contentPointer = content, tagPointer = tag)
        {
            byte empty;
            byte* bytes = content.IsEmpty ? &empty : contentPointer;
            if (suite.Mode == AeadMode.Ccm)
            {
                // CCM compares the tag while it decrypts; a failing Update means a forgery.
                return LibCrypto.EVP_CIPHER_CTX_ctrl(context, LibCrypto.EVP_CTRL_AEAD_SET_TAG, tag.Length, tagPointer) == 1
                    && LibCrypto.EVP_CipherInit_ex(context, 0, 0, keyPointer, noncePointer, 0) == 1
                    && LibCrypto.EVP_CipherUpdate(context, null, &written, null, content.Length) == 1
                    && LibCrypto.EVP_CipherUpdate(context, null, &written, associatedPointer, associated.Length) == 1
                    && LibCrypto.EVP_CipherUpdate(context, bytes, &written, bytes, content.Length) == 1;
            }

            return LibCrypto.EVP_CipherInit_ex(context, 0, 0, keyPointer, noncePointer, 0) == 1
                && LibCrypto.EVP_CipherUpdate(context, null, &written, associatedPointer, associated.Length) == 1
                && LibCrypto.EVP_CipherUpdate(context, bytes, &written, bytes, content.Length) == 1
                && LibCrypto.EVP_CIPHER_CTX_ctrl(context, LibCrypto.EVP_CTRL_AEAD_SET_TAG, tag.Length, tagPointer) == 1
                && LibCrypto.EVP_CipherFinal_ex(context, &empty, &written) == 1;
        }
    }

    private static nint Context(CipherSuite suite, bool seals) => (t_contexts ??= new Contexts()).Get(suite, seals);

    /// <summary>The contexts of a thread, which the thread frees at its end.</summary>
    private sealed class Contexts
    {
        private readonly nint[] _contexts = new nint[Kinds];

        ~Contexts()
        {
            foreach (nint context in _contexts)
            {
                LibCrypto.EVP_CIPHER_CTX_free(context);
            }
        }

        public nint Get(CipherSuite suite, bool seals)
        {
            int index = (seals ? 1 : 0) | (suite.Mode == AeadMode.Gcm ? 2 : 0) | (suite.TagLength == 8 ? 4 : 0);
            nint context = _contexts[index];
            return context != 0 ? context : _contexts[index] = Make(suite, seals);
        }

        private static nint Make(CipherSuite suite, bool seals)
        {
            nint context = LibCrypto.EVP_CIPHER_CTX_new();
            nint cipher = suite.Mode == AeadMode.Gcm ? LibCrypto.EVP_aes_128_gcm() : LibCrypto.EVP_aes_128_ccm();
            bool isMade = context != 0
                && LibCrypto.EVP_CipherInit_ex(context, cipher, 0, null, null, seals ? 1 : 0) == 1
                && LibCrypto.EVP_CIPHER_CTX_ctrl(context, LibCrypto.EVP_CTRL_AEAD_SET_IVLEN, NonceLength, null) == 1
                && (suite.Mode == AeadMode.Gcm
                    || LibCrypto.EVP_CIPHER_CTX_ctrl(context, LibCrypto.EVP_CTRL_AEAD_SET_TAG, suite.TagLength, null) == 1);
            if (isMade)
            {
                return context;
            }

            LibCrypto.EVP_CIPHER_CTX_free(context);
            throw new InvalidOperationException($"OpenSSL has no {suite}: {LibCrypto.TakeError()}");
        }
    }
}
