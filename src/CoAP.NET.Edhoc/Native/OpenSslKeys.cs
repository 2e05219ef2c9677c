using System.Runtime.InteropServices;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Keys;

namespace CoAP.NET.Edhoc.Native;

/// <summary>
/// Performs X25519, X448, Ed25519 and Ed448 with the system's OpenSSL, because .NET 10 has no types for them. It needs libcrypto only. The
/// package CoAP.NET.Dtls has a binding of its own that requires libssl; both first search the directory in COAP_OPENSSL_PATH.
/// </summary>
internal static unsafe class OpenSslKeys
{
    public const string PathVariable = "COAP_OPENSSL_PATH";

    // The result of OpenSSL_version_num for 1.1.1.
    private const uint Oldest = 0x1010100f;

    private static readonly Lazy<Functions?> s_functions = new(Load);

    public static bool IsSupported => s_functions.Value is not null;

    private static Functions Native => s_functions.Value
        ?? throw new PlatformNotSupportedException($"EDHOC needs OpenSSL {OpenSslLibraryNames.Versions} for this curve, which is missing.");

    public static byte[] PublicKey(EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        Functions native = Native;
        nint key = PrivateKeyOf(native, curve, secret);
        try
        {
            byte[] publicKey = new byte[Curves.KeyLength(curve)];
            nuint length = (nuint)publicKey.Length;
            fixed (byte* pointer = publicKey)
            {
                Check(((delegate* unmanaged[Cdecl]<nint, byte*, nuint*, int>)native.GetRawPublicKey)(key, pointer, &length) == 1);
            }

            return publicKey;
        }
        finally
        {
            Free(native, key);
        }
    }

    /// <returns>The shared secret; null if the public key is invalid or of low order.</returns>
    public static byte[]? Agree(EdhocCurve curve, ReadOnlySpan<byte> secret, ReadOnlySpan<byte> peer)
    {
        Functions native = Native;
        nint key = 0;
        nint publicKey = 0;
        nint context = 0;
        try
        {
            key = PrivateKeyOf(native, curve, secret);
            publicKey = PublicKeyOf(native, curve, peer);
            if (publicKey == 0)
            {
                return null;
            }

            context = ((delegate* unmanaged[Cdecl]<nint, nint, nint>)native.NewContext)(key, 0);
            Check(context != 0 && ((delegate* unmanaged[Cdecl]<nint, int>)native.DeriveInit)(context) == 1);
            byte[] shared = new byte[Curves.KeyLength(curve)];
            nuint length = (nuint)shared.Length;
            fixed (byte* pointer = shared)
            {
                return ((delegate* unmanaged[Cdecl]<nint, nint, int>)native.DeriveSetPeer)(context, publicKey) == 1
                    && ((delegate* unmanaged[Cdecl]<nint, byte*, nuint*, int>)native.Derive)(context, pointer, &length) == 1
                    && length == (nuint)shared.Length ? shared : null;
            }
        }
        finally
        {
            if (context != 0)
            {
                ((delegate* unmanaged[Cdecl]<nint, void>)native.FreeContext)(context);
            }

            Free(native, publicKey);
            Free(native, key);
        }
    }

    public static byte[] Sign(EdhocCurve curve, ReadOnlySpan<byte> secret, ReadOnlySpan<byte> data)
    {
        Functions native = Native;
        nint key = 0;
        nint digest = 0;
        try
        {
            key = PrivateKeyOf(native, curve, secret);
            digest = ((delegate* unmanaged[Cdecl]<nint>)native.NewDigest)();
            Check(digest != 0
                && ((delegate* unmanaged[Cdecl]<nint, nint, nint, nint, nint, int>)native.SignInit)(digest, 0, 0, 0, key) == 1);
            byte[] signature = new byte[Curves.SignatureLength(curve)];
            nuint length = (nuint)signature.Length;
            fixed (byte* signaturePointer = signature, dataPointer = data)
            {
                Check(((delegate* unmanaged[Cdecl]<nint, byte*, nuint*, byte*, nuint, int>)native.Sign)(
                    digest, signaturePointer, &length, dataPointer, (nuint)data.Length) == 1);
            }

            return signature;
        }
        finally
        {
            FreeDigest(native, digest);
            Free(native, key);
        }
    }

    public static bool Verify(EdhocCurve curve, ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> data, ReadOnlySpan<byte> signature)
    {
        Functions native = Native;
        nint key = 0;
        nint digest = 0;
        try
        {
            key = PublicKeyOf(native, curve, publicKey);
            if (key == 0)
            {
                return false;
            }

            digest = ((delegate* unmanaged[Cdecl]<nint>)native.NewDigest)();
            Check(digest != 0
                && ((delegate* unmanaged[Cdecl]<nint, nint, nint, nint, nint, int>)native.VerifyInit)(digest, 0, 0, 0, key) == 1);
            fixed (byte* signaturePointer = signature, dataPointer = data)
            {
                return ((delegate* unmanaged[Cdecl]<nint, byte*, nuint, byte*, nuint, int>)native.Verify)(
                    digest, signaturePointer, (nuint)signature.Length, dataPointer, (nuint)data.Length) == 1;
            }
        }
        finally
        {
            FreeDigest(native, digest);
            Free(native, key);
        }
    }

    private static nint PrivateKeyOf(Functions native, EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        fixed (byte* pointer = secret)
        {
            nint key = ((delegate* unmanaged[Cdecl]<int, nint, byte*, nuint, nint>)native.NewPrivate)(
                Identifier(curve), 0, pointer, (nuint)secret.Length);
            Check(key != 0);
            return key;
        }
    }

    private static nint PublicKeyOf(Functions native, EdhocCurve curve, ReadOnlySpan<byte> publicKey)
    {
        fixed (byte* pointer = publicKey)
        {
            return ((delegate* unmanaged[Cdecl]<int, nint, byte*, nuint, nint>)native.NewPublic)(
                Identifier(curve), 0, pointer, (nuint)publicKey.Length);
        }
    }

    private static void Free(Functions native, nint key)
    {
        if (key != 0)
        {
            ((delegate* unmanaged[Cdecl]<nint, void>)native.FreeKey)(key);
        }

        // The return values above already report failures: clears the error queue for the next caller on this thread.
        ((delegate* unmanaged[Cdecl]<void>)native.ClearError)();
    }

    private static void FreeDigest(Functions native, nint digest)
    {
        if (digest != 0)
        {
            ((delegate* unmanaged[Cdecl]<nint, void>)native.FreeDigest)(digest);
        }
    }

    private static void Check(bool isDone)
    {
        if (!isDone)
        {
            throw new CryptographicException("OpenSSL failed at an operation with a key.");
        }
    }

    // NIDs of OpenSSL.
    private static int Identifier(EdhocCurve curve) => curve switch
    {
        EdhocCurve.X25519 => 1034,
        EdhocCurve.X448 => 1035,
        EdhocCurve.Ed25519 => 1087,
        _ => 1088,
    };

    private static Functions? Load()
    {
        foreach (string name in Candidates())
        {
            if (NativeLibrary.TryLoad(name, out nint library)
                && NativeLibrary.TryGetExport(library, "OpenSSL_version_num", out nint version)
                && ((delegate* unmanaged[Cdecl]<CULong>)version)().Value >= Oldest)
            {
                return new Functions(library);
            }
        }

        return null;
    }

    private static IEnumerable<string> Candidates()
    {
        string? directory = Environment.GetEnvironmentVariable(PathVariable);
        return string.IsNullOrEmpty(directory)
            ? OpenSslLibraryNames.OfThisMachine(isInDirectory: false).Select(static names => names.Crypto)
            : OpenSslLibraryNames.OfThisMachine(isInDirectory: true).Select(names => Path.Combine(directory, names.Crypto));
    }

    private sealed class Functions(nint library)
    {
        public nint NewPrivate { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_new_raw_private_key");

        public nint NewPublic { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_new_raw_public_key");

        public nint GetRawPublicKey { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_get_raw_public_key");

        public nint FreeKey { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_free");

        public nint NewContext { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_CTX_new");

        public nint FreeContext { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_CTX_free");

        public nint DeriveInit { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_derive_init");

        public nint DeriveSetPeer { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_derive_set_peer");

        public nint Derive { get; } = NativeLibrary.GetExport(library, "EVP_PKEY_derive");

        public nint NewDigest { get; } = NativeLibrary.GetExport(library, "EVP_MD_CTX_new");

        public nint FreeDigest { get; } = NativeLibrary.GetExport(library, "EVP_MD_CTX_free");

        public nint SignInit { get; } = NativeLibrary.GetExport(library, "EVP_DigestSignInit");

        public nint Sign { get; } = NativeLibrary.GetExport(library, "EVP_DigestSign");

        public nint VerifyInit { get; } = NativeLibrary.GetExport(library, "EVP_DigestVerifyInit");

        public nint Verify { get; } = NativeLibrary.GetExport(library, "EVP_DigestVerify");

        public nint ClearError { get; } = NativeLibrary.GetExport(library, "ERR_clear_error");
    }
}
